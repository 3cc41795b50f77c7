package latchkey

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// Problem is a response with a status of 400 or more (RFC 9457). Find it with errors.As.
type Problem struct {
	Status    int    `json:"status"`
	ErrorCode string `json:"errorCode"`
	Title     string `json:"title"`
	Detail    string `json:"detail"`
	TraceID   string `json:"traceId"`
	// Body is the whole response: the other fields of the document, or what is no problem document.
	Body []byte `json:"-"`
	// Header has the response's headers, such as Retry-After.
	Header http.Header `json:"-"`
}

func (p *Problem) Error() string {
	text := fmt.Sprintf("latchkey: %d %s", p.Status, p.ErrorCode)
	if p.Detail != "" {
		return text + ": " + p.Detail
	}
	return text + ": " + p.Title
}

func problemOf(response *http.Response, text []byte) *Problem {
	problem := Problem{}
	if json.Unmarshal(text, &problem) != nil {
		problem = Problem{Title: http.StatusText(response.StatusCode)}
	}
	problem.Status, problem.Body, problem.Header = response.StatusCode, text, response.Header
	return &problem
}
