// A program that signs people in with go-oidc and x/oauth2, and an API that checks access tokens with go-oidc.
package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// session is what the program keeps for one browser, by the secret in its cookie.
type session struct {
	state, verifier, sid, idToken string
	token                         *oauth2.Token
}

type program struct {
	origin   string
	provider *oidc.Provider
	config   oauth2.Config
	idTokens *oidc.IDTokenVerifier
	// apiTokens checks access tokens, which are JWTs signed with ES256.
	apiTokens *oidc.IDTokenVerifier
	lock      sync.Mutex
	sessions  map[string]*session
}

func main() {
	origin := os.Getenv("ORIGIN")
	provider, err := oidc.NewProvider(context.Background(), os.Getenv("ISSUER"))
	if err != nil {
		log.Fatal(err)
	}
	clientID := os.Getenv("CLIENT_ID")
	p := &program{
		origin:   origin,
		provider: provider,
		config: oauth2.Config{
			ClientID:     clientID,
			ClientSecret: os.Getenv("CLIENT_SECRET"),
			Endpoint:     provider.Endpoint(),
			RedirectURL:  origin + "/callback",
			Scopes:       []string{oidc.ScopeOpenID, oidc.ScopeOfflineAccess, "email"},
		},
		idTokens: provider.Verifier(&oidc.Config{ClientID: clientID}),
		apiTokens: provider.Verifier(&oidc.Config{
			ClientID:             os.Getenv("AUDIENCE"),
			SupportedSigningAlgs: []string{oidc.ES256},
		}),
		sessions: map[string]*session{},
	}
	http.HandleFunc("GET /sign-in", p.signIn)
	http.HandleFunc("GET /callback", p.callback)
	http.HandleFunc("GET /me", p.me)
	http.HandleFunc("GET /refresh", p.refresh)
	http.HandleFunc("GET /sign-out", p.signOut)
	http.HandleFunc("POST /backchannel-logout", p.backchannelLogout)
	http.HandleFunc("GET /api", p.api)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

func (p *program) sessionOf(w http.ResponseWriter, r *http.Request) *session {
	p.lock.Lock()
	defer p.lock.Unlock()
	if cookie, err := r.Cookie("session"); err == nil && p.sessions[cookie.Value] != nil {
		return p.sessions[cookie.Value]
	}
	id, fresh := rand.Text(), &session{}
	p.sessions[id] = fresh
	http.SetCookie(w, &http.Cookie{Name: "session", Value: id, Path: "/", HttpOnly: true})
	return fresh
}

func (p *program) signIn(w http.ResponseWriter, r *http.Request) {
	s := p.sessionOf(w, r)
	s.state, s.verifier = rand.Text(), oauth2.GenerateVerifier()
	http.Redirect(w, r, p.config.AuthCodeURL(s.state, oauth2.S256ChallengeOption(s.verifier)), http.StatusFound)
}

func (p *program) callback(w http.ResponseWriter, r *http.Request) {
	s := p.sessionOf(w, r)
	if s.state == "" || r.FormValue("state") != s.state {
		http.Error(w, "another state", http.StatusBadRequest)
		return
	}
	token, err := p.config.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(s.verifier))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	s.idToken, _ = token.Extra("id_token").(string)
	verified, err := p.idTokens.Verify(r.Context(), s.idToken)
	if err == nil {
		err = verified.VerifyAccessToken(token.AccessToken)
	}
	var claims struct {
		SID string `json:"sid"`
	}
	if err == nil {
		err = verified.Claims(&claims)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	s.token, s.sid = token, claims.SID
	http.Redirect(w, r, "/me", http.StatusFound)
}

func (p *program) me(w http.ResponseWriter, r *http.Request) {
	s := p.sessionOf(w, r)
	if s.token == nil {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	info, err := p.provider.UserInfo(r.Context(), oauth2.StaticTokenSource(s.token))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	reply(w, map[string]any{"sub": info.Subject, "email": info.Email})
}

func (p *program) refresh(w http.ResponseWriter, r *http.Request) {
	s := p.sessionOf(w, r)
	expired := *s.token
	expired.Expiry = time.Now().Add(-time.Minute)
	token, err := p.config.TokenSource(r.Context(), &expired).Token()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	changed := token.AccessToken != s.token.AccessToken
	s.token = token
	reply(w, map[string]any{"changed": changed})
}

func (p *program) signOut(w http.ResponseWriter, r *http.Request) {
	var metadata struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := p.provider.Claims(&metadata); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	s := p.sessionOf(w, r)
	query := url.Values{"id_token_hint": {s.idToken}, "post_logout_redirect_uri": {p.origin + "/"}}
	s.token = nil
	http.Redirect(w, r, metadata.EndSession+"?"+query.Encode(), http.StatusFound)
}

func (p *program) backchannelLogout(w http.ResponseWriter, r *http.Request) {
	logout, err := p.idTokens.VerifyLogout(r.Context(), r.PostFormValue("logout_token"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	for id, s := range p.sessions {
		if s.sid == logout.SessionID {
			delete(p.sessions, id)
		}
	}
}

func (p *program) api(w http.ResponseWriter, r *http.Request) {
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, err := p.apiTokens.Verify(r.Context(), token); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
	}
}

func reply(w http.ResponseWriter, value any) {
	text, _ := json.Marshal(value)
	w.Write(text)
}
