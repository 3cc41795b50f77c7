// An API that verifies access tokens: go run .
package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/MicahParks/keyfunc/v3"
	"github.com/golang-jwt/jwt/v5"
)

var (
	issuer   = cmp.Or(os.Getenv("LATCHKEY_ISSUER"), "http://localhost:4001")
	audience = cmp.Or(os.Getenv("AUDIENCE"), "https://api.example.com")
	project  = os.Getenv("LATCHKEY_PROJECT")
)

type claims struct {
	jwt.RegisteredClaims
	Scope   string `json:"scope"`
	Project string `json:"project_id"`
	Client  string `json:"client_id"`
	Key     any    `json:"cnf"`
}

// authenticate verifies the access token of a request (RFC 9068).
func authenticate(keys keyfunc.Keyfunc, r *http.Request) (*claims, error) {
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	found := &claims{}
	token, err := jwt.ParseWithClaims(text, found, keys.Keyfunc,
		jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithIssuer(issuer),
		jwt.WithAudience(audience),
		jwt.WithExpirationRequired(),
	)
	if err != nil {
		return nil, err
	}
	if !strings.EqualFold(scheme, "Bearer") || token.Header["typ"] != "at+jwt" || found.Client == "" {
		return nil, fmt.Errorf("not an access token")
	}
	// Other projects may have an API with this identifier.
	if found.Project != project {
		return nil, fmt.Errorf("of another project")
	}
	// A token that is bound to a key needs a proof of it (RFC 9449 §7.2).
	if found.Key != nil {
		return nil, fmt.Errorf("no bearer token")
	}
	return found, nil
}

func main() {
	keys, err := keyfunc.NewDefault([]string{issuer + "/connect/jwks"})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		found, err := authenticate(keys, r)
		if err != nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "invalid_token", http.StatusUnauthorized)
			return
		}
		if !slices.Contains(strings.Fields(found.Scope), "orders:read") {
			http.Error(w, "insufficient_scope", http.StatusForbidden)
			return
		}
		json.NewEncoder(w).Encode(map[string]string{"you": found.Subject, "project": found.Project})
	})
	listener, err := net.Listen("tcp", "localhost:"+cmp.Or(os.Getenv("PORT"), "3001"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("listening on http://" + listener.Addr().String())
	log.Fatal(http.Serve(listener, nil))
}
