package latchkey

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// ManagementClient is an application that may manage a project.
type ManagementClient struct {
	// AuthURL is the address of the auth host, such as https://auth.example.com.
	AuthURL     string
	WorkspaceID string
	ProjectID   string
	// Environment is "test" or "production".
	Environment  string
	ClientID     string
	ClientSecret string
	// Scope has some of the application's permissions, separated by spaces; empty for all.
	Scope string
}

// usedShare of a token's life passes before it is renewed, so that it lives through the request it is used for.
const usedShare = 0.8

// ManagementTokens returns a function that keeps a management token until shortly before it expires. It is safe for
// concurrent use; callers that wait share one request.
func ManagementTokens(client ManagementClient) func(context.Context) (string, error) {
	var lock sync.Mutex
	var token string
	var until time.Time
	return func(ctx context.Context) (string, error) {
		lock.Lock()
		defer lock.Unlock()
		began := time.Now()
		if began.Before(until) {
			return token, nil
		}
		renewed, seconds, err := client.request(ctx)
		if err != nil {
			return "", err
		}
		token, until = renewed, began.Add(time.Duration(seconds*usedShare*float64(time.Second)))
		return token, nil
	}
}

func (c ManagementClient) request(ctx context.Context) (string, float64, error) {
	form := url.Values{
		"grant_type":    {"client_credentials"},
		"client_id":     {c.ClientID},
		"client_secret": {c.ClientSecret},
		"workspaceId":   {c.WorkspaceID},
		"projectId":     {c.ProjectID},
		"environment":   {c.Environment},
	}
	if c.Scope != "" {
		form.Set("scope", c.Scope)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.AuthURL+"/connect/token", strings.NewReader(form.Encode()))
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := noRedirects.Do(req)
	if err != nil {
		return "", 0, err
	}
	text, err := readAll(response)
	if err != nil {
		return "", 0, err
	}
	var content struct {
		Token   string  `json:"access_token"`
		Seconds float64 `json:"expires_in"`
		Error   string  `json:"error"`
		Reason  string  `json:"error_description"`
	}
	_ = json.Unmarshal(text, &content)
	if response.StatusCode != http.StatusOK || content.Token == "" || content.Seconds <= 0 {
		return "", 0, fmt.Errorf("latchkey: no management token: %d %s %s", response.StatusCode, content.Error, content.Reason)
	}
	return content.Token, content.Seconds, nil
}
