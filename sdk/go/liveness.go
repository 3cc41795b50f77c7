package latchkey

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// Introspection asks Latchkey whether an OpenID Connect access token is still live (RFC 7662): one request for each check.
// The client is an application of the project with a secret.
func Introspection(issuer, clientID, clientSecret string) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, token string) (bool, error) {
		form := url.Values{"token": {token}, "client_id": {clientID}, "client_secret": {clientSecret}}
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, issuer+"/connect/introspect", strings.NewReader(form.Encode()))
		if err != nil {
			return false, err
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		response, err := noRedirects.Do(req)
		if err != nil {
			return false, err
		}
		text, err := readAll(response)
		if err != nil {
			return false, err
		}
		if response.StatusCode != http.StatusOK {
			return false, fmt.Errorf("latchkey: introspection was refused: %d", response.StatusCode)
		}
		var content struct {
			Active bool `json:"active"`
		}
		err = json.Unmarshal(text, &content)
		return content.Active, err
	}
}

// LiveSession asks Latchkey whether the session of a session token is still live: one request for each check. It sees a
// blocked member, too.
func LiveSession(apiURL string) func(context.Context, string) (bool, error) {
	return func(ctx context.Context, token string) (bool, error) {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, apiURL+"/v1/me/context", nil)
		if err != nil {
			return false, err
		}
		req.Header.Set("Authorization", "Bearer "+token)
		response, err := noRedirects.Do(req)
		if err != nil {
			return false, err
		}
		if _, err := readAll(response); err != nil {
			return false, err
		}
		switch response.StatusCode {
		case http.StatusOK:
			return true, nil
		case http.StatusUnauthorized, http.StatusForbidden:
			return false, nil
		}
		return false, fmt.Errorf("latchkey: could not learn whether a session is live: %d", response.StatusCode)
	}
}
