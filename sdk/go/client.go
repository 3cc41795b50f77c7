// Package latchkey is what a back end in Go needs beside HTTP: a client of Latchkey's API with a method for each
// operation, checks of access tokens and of webhooks, and management tokens.
package latchkey

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"reflect"
	"strings"
)

// Client calls the API host. Its methods are safe for concurrent use.
type Client struct {
	// BaseURL is the address of the API host, such as https://api.example.com.
	BaseURL string
	// Token returns a session token or a management token; see ManagementTokens. It is called for each attempt.
	Token func(context.Context) (string, error)
	// HTTP sends the requests; nil for a client that follows no redirects.
	HTTP *http.Client
}

// Option changes one call.
type Option func(*settings)

type settings struct {
	header http.Header
	etag   *string
}

// ReadETag stores the ETag of the record that a call returns.
func ReadETag(etag *string) Option { return func(s *settings) { s.etag = etag } }

// IfMatch names the state, by its ETag, that a change is meant for. If it has changed since, the problem is PRECONDITION_FAILED.
func IfMatch(etag string) Option { return func(s *settings) { s.header.Set("If-Match", etag) } }

// IdempotencyKey replaces the random key of a write, so that another run of the program can repeat it.
func IdempotencyKey(key string) Option {
	return func(s *settings) { s.header.Set("Idempotency-Key", key) }
}

// CorrelationID stands in the log and in events.
func CorrelationID(id string) Option {
	return func(s *settings) { s.header.Set("X-Correlation-Id", id) }
}

// Nullable is a field that may be absent, null or a value. The zero value is absent.
type Nullable[T any] struct {
	set   bool
	value *T
}

// Null is a field that is null.
func Null[T any]() Nullable[T] { return Nullable[T]{set: true} }

// Of is a field with a value.
func Of[T any](value T) Nullable[T] { return Nullable[T]{set: true, value: &value} }

// Value returns nil if the field is absent or null.
func (n Nullable[T]) Value() *T { return n.value }

// IsZero is true for an absent field, which JSON then leaves out.
func (n Nullable[T]) IsZero() bool { return !n.set }

// MarshalJSON writes the value or null.
func (n Nullable[T]) MarshalJSON() ([]byte, error) { return json.Marshal(n.value) }

// UnmarshalJSON reads a value or null.
func (n *Nullable[T]) UnmarshalJSON(data []byte) error {
	n.set = true
	return json.Unmarshal(data, &n.value)
}

// Ptr returns a pointer to a value, for fields that may be absent.
func Ptr[T any](value T) *T { return &value }

type request struct {
	method string
	path   string
	values []string
	query  any
	body   any
	keyed  bool
}

// none is the content of a response without content.
type none struct{}

var noRedirects = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// call sends a request. Reads, and writes with an Idempotency-Key, are repeated after errors of the network, 429 and 503.
func call[T any](ctx context.Context, c *Client, r request, options []Option) (T, error) {
	var result T
	target, err := r.url(c.BaseURL)
	if err != nil {
		return result, err
	}
	var body []byte
	if r.body != nil {
		if body, err = json.Marshal(r.body); err != nil {
			return result, err
		}
	}
	header := http.Header{"Accept": {"application/json, */*;q=0.5"}}
	if body != nil {
		header.Set("Content-Type", "application/json")
	}
	if r.keyed {
		header.Set("Idempotency-Key", rand.Text())
	}
	set := settings{header: header, etag: new(string)}
	for _, option := range options {
		option(&set)
	}
	attempts := 1
	if r.keyed || r.method == http.MethodGet {
		attempts = maxAttempts
	}
	text, err := repeated(ctx, attempts, func() (*http.Response, error) {
		response, err := c.send(ctx, r.method, target, header, body)
		if err == nil {
			*set.etag = response.Header.Get("ETag")
		}
		return response, err
	})
	if err != nil {
		return result, err
	}
	switch target := any(&result).(type) {
	case *none:
	case *string:
		*target = string(text)
	default:
		err = json.Unmarshal(text, target)
	}
	return result, err
}

func (c *Client) send(ctx context.Context, method, target string, header http.Header, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, target, bytes.NewReader(body))
	if err != nil {
		return nil, permanent{err}
	}
	req.Header = header
	if c.Token != nil {
		token, err := c.Token(ctx)
		if err != nil {
			return nil, permanent{err}
		}
		req.Header.Set("Authorization", "Bearer "+token)
	}
	client := c.HTTP
	if client == nil {
		client = noRedirects
	}
	return client.Do(req)
}

// url fills the values into the path. Dots would name another path, even encoded.
func (r request) url(base string) (string, error) {
	path := r.path
	for _, value := range r.values {
		if strings.Trim(value, ".") == "" && len(value) <= 2 {
			return "", fmt.Errorf("latchkey: %q is no value for the path %s", value, r.path)
		}
		open, end := strings.Index(path, "{"), strings.Index(path, "}")
		path = path[:open] + url.PathEscape(value) + path[end+1:]
	}
	query := url.Values{}
	if r.query != nil {
		addQuery(query, reflect.ValueOf(r.query))
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return strings.TrimSuffix(base, "/") + path, nil
}

func addQuery(query url.Values, filters reflect.Value) {
	for i := range filters.NumField() {
		field := filters.Field(i)
		if field.Kind() == reflect.Pointer {
			if field.IsNil() {
				continue
			}
			field = field.Elem()
		}
		query.Set(filters.Type().Field(i).Tag.Get("query"), fmt.Sprint(field.Interface()))
	}
}

type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
}

// pages reads the records of all pages, which are requested as they are needed. The records end with an error.
func pages[T any](ctx context.Context, c *Client, r request, options []Option) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		next := r
		for {
			found, err := call[page[T]](ctx, c, next, options)
			if err != nil {
				var zero T
				yield(zero, err)
				return
			}
			for _, item := range found.Items {
				if !yield(item, nil) {
					return
				}
			}
			if found.NextCursor == nil {
				return
			}
			next = r.after(*found.NextCursor)
		}
	}
}

// after is the request for the page that a cursor names.
func (r request) after(cursor string) request {
	query := url.Values{}
	if r.query != nil {
		addQuery(query, reflect.ValueOf(r.query))
	}
	query.Set("cursor", cursor)
	// The path keeps its braces, which are filled in later.
	r.path, r.query = r.path+"?"+query.Encode(), nil
	return r
}

func readAll(response *http.Response) ([]byte, error) {
	text, err := io.ReadAll(response.Body)
	return text, errors.Join(err, response.Body.Close())
}
