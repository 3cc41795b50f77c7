package latchkey

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/go-jose/go-jose/v4"
)

// ErrInvalidToken is the cause of an error about a token that is not valid for this back end. Other errors say that the
// token could not be checked.
var ErrInvalidToken = errors.New("latchkey: invalid token")

// AccessToken is what a back end needs from a valid access token.
type AccessToken struct {
	// Machine is true for an application that acts for itself, with client_credentials.
	Machine bool
	// Subject is the person's id, or the client id of a machine.
	Subject        string
	ClientID       string
	SessionID      string
	OrganizationID string
	// Scopes are what the application may do.
	Scopes []string
	// Permissions are what the person may do. Session tokens have none: read GET /v1/me/context.
	Permissions []string
	Roles       []string
	ExpiresAt   time.Time
	// Claims are all claims of the token.
	Claims map[string]any
}

// VerifierOptions say which tokens a back end takes.
type VerifierOptions struct {
	// Issuer is the auth address that issues the tokens.
	Issuer string
	// Audience is the identifier of your API, or the address of Latchkey's API for session tokens.
	Audience string
	// ProjectID is the project. Projects of an installation may share issuer and audience, so both do not say whose token it is.
	ProjectID string
	// IsLive asks whether a token that verifies is still live. Without it an ended session's token holds until it expires.
	IsLive func(ctx context.Context, token string) (bool, error)
	// ClockTolerance is the tolerated difference of the clocks; five seconds if zero.
	ClockTolerance time.Duration
}

// Verifier checks access tokens (RFC 9068). Keys are cached; an unknown key makes it read the keys again.
type Verifier struct {
	options VerifierOptions
	keys    *oidc.RemoteKeySet
}

// NewVerifier makes a verifier. The context carries values, such as oidc.ClientContext, for reading keys later.
func NewVerifier(ctx context.Context, options VerifierOptions) *Verifier {
	if options.ClockTolerance == 0 {
		options.ClockTolerance = 5 * time.Second
	}
	return &Verifier{options: options, keys: oidc.NewRemoteKeySet(ctx, options.Issuer+"/connect/jwks")}
}

type claims struct {
	Issuer         string   `json:"iss"`
	Audience       audience `json:"aud"`
	Expires        float64  `json:"exp"`
	NotBefore      float64  `json:"nbf"`
	Subject        string   `json:"sub"`
	ClientID       string   `json:"client_id"`
	SessionID      string   `json:"sid"`
	OrganizationID string   `json:"org_id"`
	Scope          string   `json:"scope"`
	Permissions    []string `json:"permissions"`
	Roles          []string `json:"roles"`
	// OpenID Connect's claims are in snake case, those of a session token in camel case.
	ProjectID        string `json:"project_id"`
	SessionProjectID string `json:"projectId"`
	ApplicationID    string `json:"applicationId"`
	// Confirmation is raw so that null is refused, too.
	Confirmation json.RawMessage `json:"cnf"`
}

type audience []string

func (a *audience) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*a = audience{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(a))
}

// Verify returns the content of a token. The error wraps ErrInvalidToken if the token is not valid.
func (v *Verifier) Verify(ctx context.Context, token string) (*AccessToken, error) {
	signed, err := jose.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil || len(signed.Signatures) != 1 {
		return nil, invalid("it is no token signed with ES256")
	}
	if kind, _ := signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType].(string); !strings.EqualFold(kind, "at+jwt") {
		return nil, invalid("it is no access token")
	}
	payload, err := v.keys.VerifySignature(ctx, token)
	if err != nil {
		// The key set says the same for a bad signature and for keys that could not be read, but for its text.
		if strings.Contains(err.Error(), "fetching keys") {
			return nil, err
		}
		return nil, invalid(err.Error())
	}
	var c claims
	if err := json.Unmarshal(payload, &c); err != nil {
		return nil, invalid(err.Error())
	}
	if err := v.check(c); err != nil {
		return nil, err
	}
	if v.options.IsLive != nil {
		live, err := v.options.IsLive(ctx, token)
		if err != nil {
			return nil, err
		}
		if !live {
			return nil, invalid("its session or grant has ended")
		}
	}
	return contentOf(c, payload)
}

func (v *Verifier) check(c claims) error {
	now := float64(time.Now().UnixMilli()) / 1000
	tolerance := v.options.ClockTolerance.Seconds()
	project := c.ProjectID
	if project == "" {
		project = c.SessionProjectID
	}
	switch {
	case c.Issuer != v.options.Issuer:
		return invalid("its issuer is " + c.Issuer)
	case !slices.Contains(c.Audience, v.options.Audience):
		return invalid("it is for another audience")
	case c.Expires+tolerance <= now:
		return invalid("it has expired")
	case c.NotBefore-tolerance > now:
		return invalid("it is not valid yet")
	case project != v.options.ProjectID:
		return invalid("it is of another project")
	case c.Confirmation != nil:
		// The bearer of a bound token has not shown the key that it is bound to (RFC 9449 §7.2, RFC 8705 §3).
		return invalid("it is bound to a key; it is no bearer token")
	}
	return nil
}

func contentOf(c claims, payload []byte) (*AccessToken, error) {
	all := map[string]any{}
	if err := json.Unmarshal(payload, &all); err != nil {
		return nil, invalid(err.Error())
	}
	subject := c.Subject
	if subject == "" {
		subject = c.ClientID
	}
	if subject == "" {
		return nil, invalid("it has no subject")
	}
	return &AccessToken{
		Machine:        subject == c.ClientID || c.ApplicationID != "",
		Subject:        subject,
		ClientID:       c.ClientID,
		SessionID:      c.SessionID,
		OrganizationID: c.OrganizationID,
		Scopes:         strings.Fields(c.Scope),
		Permissions:    c.Permissions,
		Roles:          c.Roles,
		ExpiresAt:      time.UnixMilli(int64(c.Expires * 1000)),
		Claims:         all,
	}, nil
}

func invalid(reason string) error { return fmt.Errorf("%w: %s", ErrInvalidToken, reason) }

// Required is what a request must have; all of it.
type Required struct {
	// Scope is a scope that the application was granted.
	Scope string
	// Permission is a permission of the person.
	Permission string
}

// Allows is true if the token has what is required.
func (t *AccessToken) Allows(required Required) bool {
	return (required.Scope == "" || slices.Contains(t.Scopes, required.Scope)) &&
		(required.Permission == "" || slices.Contains(t.Permissions, required.Permission))
}

type tokenKey struct{}

// TokenOf returns the token of a request that RequireToken let through, or nil.
func TokenOf(ctx context.Context) *AccessToken {
	token, _ := ctx.Value(tokenKey{}).(*AccessToken)
	return token
}

var bearer = regexp.MustCompile(`(?i)^Bearer +([\w.~+/-]+=*)$`)

// RequireToken lets requests with a valid access token through, and responds to all others with a problem document (RFC 6750, RFC 9457).
func (v *Verifier) RequireToken(required Required, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		match := bearer.FindStringSubmatch(r.Header.Get("Authorization"))
		if match == nil {
			refuse(w, http.StatusUnauthorized, "Bearer", "AUTHENTICATION_REQUIRED", "The request has no bearer token.")
			return
		}
		token, err := v.Verify(r.Context(), match[1])
		switch {
		case errors.Is(err, ErrInvalidToken):
			refuse(w, http.StatusUnauthorized, `Bearer error="invalid_token"`, "AUTHENTICATION_REQUIRED", err.Error())
		case err != nil:
			refuse(w, http.StatusServiceUnavailable, "", "SERVICE_UNAVAILABLE", "The token could not be checked.")
		case !token.Allows(required):
			refuse(w, http.StatusForbidden, insufficient(required), "AUTHORIZATION_DENIED", "The token does not allow this.")
		default:
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), tokenKey{}, token)))
		}
	})
}

func insufficient(required Required) string {
	challenge := `Bearer error="insufficient_scope"`
	if required.Scope != "" {
		challenge += fmt.Sprintf(", scope=%q", required.Scope)
	}
	return challenge
}

func refuse(w http.ResponseWriter, status int, challenge, code, detail string) {
	if challenge != "" {
		w.Header().Set("WWW-Authenticate", challenge)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{
		"type": "about:blank", "status": status, "title": http.StatusText(status), "errorCode": code, "detail": detail,
	})
}
