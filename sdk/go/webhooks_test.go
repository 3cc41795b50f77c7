package latchkey

import (
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestWebhooksAreVerified(t *testing.T) {
	// Signed with openssl: printf 'evt_1.1700000000.{"id":"evt_1"}' | openssl dgst -sha256 -hmac 0123456789abcdef0123456789abcdef -binary | base64
	const secret = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
	const other = "whsec_ZmVkY2JhOTg3NjU0MzIxMGZlZGNiYTk4NzY1NDMyMTA="
	body := `{"id":"evt_1"}`
	now := time.Unix(1700000000, 0)
	header := http.Header{
		"Webhook-Id":        {"evt_1"},
		"Webhook-Timestamp": {"1700000000"},
		"Webhook-Signature": {"v1,AAAA v1,wnDSO1ZxcMMzWWv20TenHZkUwVDd563IxRyo3aRDsM0="},
	}
	event, err := verifyWebhookAt(now, []byte(body), header, []string{other, secret})
	if err != nil || event.ID != "evt_1" {
		t.Fatal(event, err)
	}
	refused := map[string]error{}
	_, refused["another body"] = verifyWebhookAt(now, []byte(body+" "), header, []string{secret})
	_, refused["another secret"] = verifyWebhookAt(now, []byte(body), header, []string{other})
	_, refused["too old"] = verifyWebhookAt(now.Add(webhookTolerance+time.Second), []byte(body), header, []string{secret})
	_, refused["too new"] = verifyWebhookAt(now.Add(-webhookTolerance-time.Second), []byte(body), header, []string{secret})
	_, refused["no headers"] = verifyWebhookAt(now, []byte(body), http.Header{}, []string{secret})
	for name, err := range refused {
		if !errors.Is(err, ErrInvalidWebhook) {
			t.Errorf("%s gave %v", name, err)
		}
	}
	if _, err := verifyWebhookAt(now, []byte(body), header, []string{"whsec_"}); err == nil || errors.Is(err, ErrInvalidWebhook) {
		t.Errorf("an empty secret gave %v", err)
	}
}
