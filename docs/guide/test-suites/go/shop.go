// Package shop is what the suite tests: a client of the pet store.
package shop

import "net/http"

// Send sends a request with the key of the shop.
func Send(method, url, key string) (int, error) {
	request, err := http.NewRequest(method, url, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
