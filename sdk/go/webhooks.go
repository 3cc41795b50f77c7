package latchkey

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrInvalidWebhook is the cause of an error about a message that is not from Latchkey, was changed, or is too old.
// Respond with 400, and do nothing else.
var ErrInvalidWebhook = errors.New("latchkey: invalid webhook")

// webhookTolerance is how far a message's timestamp may differ from the current time.
const webhookTolerance = 5 * time.Minute

// Event is an event as Latchkey sends it. Data depends on Type.
type Event struct {
	// ID is the same in every delivery: store it to recognise repeated deliveries.
	ID         string    `json:"id"`
	Type       string    `json:"type"`
	OccurredAt time.Time `json:"occurredAt"`
	// Sequence is the position in the order of the project environment; nil for a test event.
	Sequence      *int64          `json:"sequence"`
	WorkspaceID   string          `json:"workspaceId"`
	ProjectID     string          `json:"projectId"`
	Environment   string          `json:"environment"`
	Actor         map[string]any  `json:"actor"`
	CorrelationID string          `json:"correlationId"`
	Example       bool            `json:"example"`
	Data          json.RawMessage `json:"data"`
}

// VerifyWebhook checks a message (Standard Webhooks) and returns its event. The body must be the raw bytes that were
// received. While you rotate a secret, pass both.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (*Event, error) {
	return verifyWebhookAt(time.Now(), body, header, secrets)
}

func verifyWebhookAt(now time.Time, body []byte, header http.Header, secrets []string) (*Event, error) {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || err != nil {
		return nil, fmt.Errorf("%w: a header is missing", ErrInvalidWebhook)
	}
	if now.Sub(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return nil, fmt.Errorf("%w: its timestamp is too old or in the future", ErrInvalidWebhook)
	}
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil || len(key) == 0 {
			return nil, errors.New("latchkey: a webhook secret must start with whsec_ and be complete")
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", id, timestamp, body)
		if signedBy(mac.Sum(nil), header.Get("Webhook-Signature")) {
			event := &Event{}
			if err := json.Unmarshal(body, event); err != nil {
				return nil, fmt.Errorf("%w: %w", ErrInvalidWebhook, err)
			}
			return event, nil
		}
	}
	return nil, fmt.Errorf("%w: no signature matches: wrong secret, or the body was changed", ErrInvalidWebhook)
}

func signedBy(expected []byte, signatures string) bool {
	for version := range strings.FieldsSeq(signatures) {
		encoded, known := strings.CutPrefix(version, "v1,")
		signature, err := base64.StdEncoding.DecodeString(encoded)
		if known && err == nil && hmac.Equal(signature, expected) {
			return true
		}
	}
	return false
}
