package latchkey

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// demo is the running Latchkey that the tests use: what its demo.json says of an environment, and a session.
type demo struct {
	AuthURL                string
	APIURL                 string
	WorkspaceID            string
	ProjectID              string
	ManagementClientID     string
	ManagementClientSecret string
	AccessToken            string
}

func running(t *testing.T) demo {
	t.Helper()
	text := os.Getenv("LATCHKEY_TEST_DEMO")
	if text == "" {
		t.Skip("LATCHKEY_TEST_DEMO names no running Latchkey")
	}
	var d demo
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d demo) client() *Client {
	tokens := ManagementTokens(ManagementClient{
		AuthURL: d.AuthURL, WorkspaceID: d.WorkspaceID, ProjectID: d.ProjectID, Environment: "test",
		ClientID: d.ManagementClientID, ClientSecret: d.ManagementClientSecret,
	})
	return &Client{BaseURL: d.APIURL, Token: tokens}
}

func TestAMemberIsAddedChangedAndRemoved(t *testing.T) {
	ctx, client := t.Context(), running(t).client()
	added, err := client.AddMember(ctx, AddMemberRequest{Email: Ptr("go@example.com"), DisplayName: Of("Grace")})
	if err != nil {
		t.Fatal(err)
	}
	if added.Email == nil || *added.Email != "go@example.com" || added.Status != "active" {
		t.Errorf("the added member is %+v", added)
	}
	changed, err := client.ChangeMember(ctx, added.ID, ChangeMemberRequest{DisplayName: Null[string]()})
	if err != nil || changed.DisplayName != nil || *changed.Email != "go@example.com" {
		t.Errorf("null removes the name and an absent field changes nothing: %+v, %v", changed, err)
	}
	if err := client.RemoveMember(ctx, added.ID); err != nil {
		t.Fatal(err)
	}
	var problem *Problem
	_, err = client.ReadMember(ctx, added.ID)
	if !errors.As(err, &problem) || problem.Status != 404 || problem.ErrorCode != "NOT_FOUND" || problem.TraceID == "" {
		t.Errorf("a removed member gave %v", err)
	}
	if _, err := client.ReadMember(ctx, ".."); err == nil || errors.As(err, &problem) && problem.Status != 404 {
		t.Errorf("two dots left the path: %v", err)
	}
}

func TestAChangeIsMeantForTheStateThatWasRead(t *testing.T) {
	ctx, client := t.Context(), running(t).client()
	added, err := client.AddMember(ctx, AddMemberRequest{Email: Ptr("go-etag@example.com")})
	if err != nil {
		t.Fatal(err)
	}
	var read, changed string
	if _, err := client.ReadMember(ctx, added.ID, ReadETag(&read)); err != nil || read == "" {
		t.Fatalf("the record has the tag %q, %v", read, err)
	}
	name := ChangeMemberRequest{DisplayName: Of("Grace")}
	if _, err := client.ChangeMember(ctx, added.ID, name, IfMatch(read), ReadETag(&changed)); err != nil || changed == read {
		t.Fatalf("the changed record has the tag %q, %v", changed, err)
	}
	var problem *Problem
	_, err = client.ChangeMember(ctx, added.ID, name, IfMatch(read))
	if !errors.As(err, &problem) || problem.ErrorCode != "PRECONDITION_FAILED" {
		t.Errorf("a change of an earlier state gave %v", err)
	}
}

func TestAListReadsAllPages(t *testing.T) {
	ctx, client := t.Context(), running(t).client()
	for _, name := range []string{"a", "b", "c"} {
		if _, err := client.AddMember(ctx, AddMemberRequest{Email: Ptr(name + "@go-pages.example.com")}); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]int{}
	for member, err := range client.ListMembers(ctx, ListMembersQuery{Q: Ptr("go-pages.example"), Limit: Ptr(int64(2))}) {
		if err != nil {
			t.Fatal(err)
		}
		found[*member.Email]++
	}
	if len(found) != 3 || found["a@go-pages.example.com"] != 1 {
		t.Errorf("the pages had %v", found)
	}
}

func TestARepeatedWriteHasOneEffect(t *testing.T) {
	ctx, client := t.Context(), running(t).client()
	key := IdempotencyKey("go-" + t.Name())
	body := AddMemberRequest{Email: Ptr("go-once@example.com")}
	first, err := client.AddMember(ctx, body, key)
	if err != nil {
		t.Fatal(err)
	}
	second, err := client.AddMember(ctx, body, key)
	if err != nil || first.ID != second.ID {
		t.Errorf("the same key gave %s and %s, %v", first.ID, second.ID, err)
	}
}

func TestTokensOfSessionsAreVerified(t *testing.T) {
	ctx, d := t.Context(), running(t)
	options := VerifierOptions{Issuer: d.AuthURL, Audience: d.APIURL, ProjectID: d.ProjectID, IsLive: LiveSession(d.APIURL)}
	token, err := NewVerifier(ctx, options).Verify(ctx, d.AccessToken)
	if err != nil || !strings.HasPrefix(token.Subject, "usr_") || token.SessionID == "" || token.Machine {
		t.Fatalf("the token is %+v, %v", token, err)
	}
	for name, change := range map[string]func(*VerifierOptions){
		"audience": func(o *VerifierOptions) { o.Audience = "https://other.example.com" },
		"project":  func(o *VerifierOptions) { o.ProjectID = "prj_other" },
	} {
		other := options
		change(&other)
		if _, err := NewVerifier(ctx, other).Verify(ctx, d.AccessToken); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("another %s gave %v", name, err)
		}
	}
	verifier := NewVerifier(ctx, options)
	for _, text := range []string{"", "a.b.c", d.AccessToken[:len(d.AccessToken)-8] + "AAAAAAAA"} {
		if _, err := verifier.Verify(ctx, text); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%.20q gave %v", text, err)
		}
	}
	away := options
	away.Issuer = "http://127.0.0.1:9"
	if _, err := NewVerifier(ctx, away).Verify(ctx, d.AccessToken); err == nil || errors.Is(err, ErrInvalidToken) {
		t.Errorf("keys that cannot be read say nothing about a token: %v", err)
	}
}

func TestRequireTokenRespondsForTheHandler(t *testing.T) {
	ctx, d := t.Context(), running(t)
	verifier := NewVerifier(ctx, VerifierOptions{Issuer: d.AuthURL, Audience: d.APIURL, ProjectID: d.ProjectID})
	you := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, TokenOf(r.Context()).Subject) })
	ask := func(required Required, authorization string) *httptest.ResponseRecorder {
		response, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil)
		request.Header.Set("Authorization", authorization)
		verifier.RequireToken(required, you).ServeHTTP(response, request)
		return response
	}
	if r := ask(Required{}, "Bearer "+d.AccessToken); r.Code != 200 || !strings.HasPrefix(r.Body.String(), "usr_") {
		t.Errorf("a valid token gave %d %s", r.Code, r.Body)
	}
	if r := ask(Required{}, "Basic dTpw"); r.Code != 401 || r.Header().Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("no token gave %d", r.Code)
	}
	if r := ask(Required{}, "Bearer wrong"); r.Code != 401 || !strings.Contains(r.Header().Get("WWW-Authenticate"), "invalid_token") {
		t.Errorf("a wrong token gave %d", r.Code)
	}
	if r := ask(Required{Permission: "orders:refund"}, "Bearer "+d.AccessToken); r.Code != 403 {
		t.Errorf("a token without the permission gave %d", r.Code)
	}
}

func TestParallelCallersShareOneManagementToken(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		io.WriteString(w, `{"access_token":"one","expires_in":60}`)
	}))
	defer server.Close()
	tokens := ManagementTokens(ManagementClient{AuthURL: server.URL})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			if token, err := tokens(context.Background()); err != nil || token != "one" {
				t.Error(token, err)
			}
		})
	}
	group.Wait()
	if requests != 1 {
		t.Errorf("%d requests", requests)
	}
}

func TestWritesWithoutAKeyAreSentOnce(t *testing.T) {
	counts := map[string]int{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		counts[r.Method+" "+r.Header.Get("Idempotency-Key")]++
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()
	client := &Client{BaseURL: server.URL}
	var problem *Problem
	if _, err := client.AddMember(t.Context(), AddMemberRequest{}, IdempotencyKey("k")); !errors.As(err, &problem) || problem.Status != 503 {
		t.Error(err)
	}
	if _, err := client.ChangeMember(t.Context(), "mem_1", ChangeMemberRequest{}); !errors.As(err, &problem) {
		t.Error(err)
	}
	if counts["POST k"] != 4 || counts["PATCH "] != 1 {
		t.Error(counts)
	}
}

// issuer has one key.
type issuer struct {
	url string
	key *ecdsa.PrivateKey
}

func newIssuer(t *testing.T) issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys := []jose.JSONWebKey{{Key: key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}
		_ = json.NewEncoder(w).Encode(jose.JSONWebKeySet{Keys: keys})
	}))
	t.Cleanup(server.Close)
	return issuer{server.URL, key}
}

// token returns a valid token with these changes; nil leaves a claim out.
func (i issuer) token(t *testing.T, kind string, changes map[string]any) string {
	t.Helper()
	claims := map[string]any{
		"iss": i.url, "aud": []string{"https://orders.example"}, "exp": time.Now().Unix() + 60,
		"sub": "usr_1", "client_id": "client", "project_id": "prj_1", "scope": "orders:read orders:refund",
	}
	for name, value := range changes {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return sign(t, jose.SigningKey{Algorithm: jose.ES256, Key: jose.JSONWebKey{Key: i.key, KeyID: "1"}}, kind, claims)
}

func sign(t *testing.T, key jose.SigningKey, kind string, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(key, (&jose.SignerOptions{}).WithType(jose.ContentType(kind)))
	if err != nil {
		t.Fatal(err)
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	text, err := signed.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestTokensOfOpenIDConnectAreVerifiedAndEveryOtherOneIsRefused(t *testing.T) {
	ctx, i := t.Context(), newIssuer(t)
	verifier := NewVerifier(ctx, VerifierOptions{Issuer: i.url, Audience: "https://orders.example", ProjectID: "prj_1"})
	person, err := verifier.Verify(ctx, i.token(t, "at+jwt", nil))
	if err != nil || person.Subject != "usr_1" || person.Machine || !person.Allows(Required{Scope: "orders:refund"}) {
		t.Errorf("the token of a person is %+v, %v", person, err)
	}
	machine, err := verifier.Verify(ctx, i.token(t, "at+jwt", map[string]any{"sub": "client"}))
	if err != nil || !machine.Machine {
		t.Errorf("the token of a machine is %+v, %v", machine, err)
	}
	changed := func(changes map[string]any) string { return i.token(t, "at+jwt", changes) }
	secret := jose.SigningKey{Algorithm: jose.HS256, Key: []byte(strings.Repeat("s", 32))}
	for name, text := range map[string]string{
		"an ID token":                  i.token(t, "JWT", nil),
		"a bound token":                changed(map[string]any{"cnf": map[string]any{"jkt": "key"}}),
		"a token bound to null":        changed(map[string]any{"cnf": json.RawMessage("null")}),
		"an expired token":             changed(map[string]any{"exp": time.Now().Unix() - 60}),
		"a token without expiry":       changed(map[string]any{"exp": nil}),
		"a later token":                changed(map[string]any{"nbf": time.Now().Unix() + 60}),
		"a token without project":      changed(map[string]any{"project_id": nil}),
		"a token of another project":   changed(map[string]any{"project_id": "prj_2", "projectId": "prj_1"}),
		"a token of another issuer":    changed(map[string]any{"iss": "https://elsewhere.example"}),
		"a token of another audience":  changed(map[string]any{"aud": "https://refunds.example"}),
		"a token without subject":      changed(map[string]any{"sub": nil, "client_id": nil}),
		"a token signed with a secret": sign(t, secret, "at+jwt", map[string]any{}),
		"a token of another key":       newIssuer(t).token(t, "at+jwt", map[string]any{"iss": i.url}),
	} {
		if _, err := verifier.Verify(ctx, text); !errors.Is(err, ErrInvalidToken) {
			t.Errorf("%s gave %v", name, err)
		}
	}
}

func TestARefusedManagementTokenIsRequestedOnce(t *testing.T) {
	requests := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests++
		w.WriteHeader(http.StatusUnauthorized)
	}))
	defer server.Close()
	client := &Client{BaseURL: server.URL, Token: ManagementTokens(ManagementClient{AuthURL: server.URL})}
	if _, err := client.ReadMember(t.Context(), "mem_1"); err == nil || requests != 1 {
		t.Errorf("%d requests, %v", requests, err)
	}
}
