package shop

import (
	"encoding/json"
	"testing"
)

func TestAFreeKeyIsAdmittedAgainAfterItsMinute(t *testing.T) {
	t.Parallel()
	store := startPetstore(t, map[string]any{"plan": "free", "now": "2026-11-20T10:00:00Z"})
	list := func() int {
		status, err := Send("GET", store.URL+"/v1/pets", store.Key)
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	for range make([]struct{}, 60) {
		if status := list(); status != 200 {
			t.Fatalf("got %d", status)
		}
	}
	if status := list(); status != 429 {
		t.Fatalf("got %d", status)
	}
	store.control(t, "POST", "clock", map[string]any{"advanceMs": 61_000})
	if status := list(); status != 200 {
		t.Fatalf("got %d", status)
	}
}

func TestALostRequestIsAnError(t *testing.T) {
	t.Parallel()
	store := startPetstore(t, map[string]any{})
	store.control(t, "POST", "faults", map[string]any{"fault": map[string]any{"lost": "request"}})
	if _, err := Send("DELETE", store.URL+"/v1/pets/1", store.Key); err == nil {
		t.Error("the connection did not end")
	}
	var received []struct{ Method, Path string }
	json.Unmarshal(store.control(t, "GET", "requests", nil), &received)
	if len(received) == 0 || received[0].Method != "DELETE" {
		t.Errorf("got %v", received)
	}
}
