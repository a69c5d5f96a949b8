package shop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
)

// petstore is the executable as a store of its own. It ends with this process, however that ends.
type petstore struct{ URL, Key string }

// startPetstore starts a store that begins with what is given, such as {"plan": "free"}.
func startPetstore(t *testing.T, beginning map[string]any) (store petstore) {
	t.Helper()
	name := os.Getenv("PETSTORE")
	if name == "" {
		name = "petstore"
	}
	server := exec.Command(name, "serve", "--ephemeral", "--port", "0", "--json", "--clock", "manual", "--exit-with-parent")
	input, _ := server.StdinPipe()
	output, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		server.Wait()
	})
	if err := json.NewDecoder(output).Decode(&store); err != nil {
		t.Fatal(err)
	}
	store.control(t, "POST", "reset", beginning)
	return store
}

func (store petstore) control(t *testing.T, method, path string, body any) []byte {
	t.Helper()
	data, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, store.URL+"/test/"+path, bytes.NewReader(data))
	request.Header.Set("Authorization", "Bearer "+store.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 300 {
		t.Fatal(fmt.Sprintf("%s /test/%s: %s", method, path, text))
	}
	return text
}
