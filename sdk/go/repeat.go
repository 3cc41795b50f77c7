package latchkey

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const (
	maxAttempts = 4
	firstPause  = 500 * time.Millisecond
	// A longer Retry-After is left to the caller.
	maxPause = time.Minute
)

// permanent is an error that a repetition would not mend.
type permanent struct{ error }

func (p permanent) Unwrap() error { return p.error }

// repeated sends until a response is neither 429 nor 503, and returns its content or its Problem.
func repeated(ctx context.Context, attempts int, send func() (*http.Response, error)) ([]byte, error) {
	for attempt := 1; ; attempt++ {
		response, err := send()
		var text []byte
		if err == nil {
			text, err = readAll(response)
		}
		pause := pauseAfter(response, err, attempt)
		if attempt >= attempts || pause < 0 || ctx.Err() != nil {
			if err != nil {
				return nil, err
			}
			if response.StatusCode >= 400 {
				return nil, problemOf(response, text)
			}
			return text, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause):
		}
	}
}

// pauseAfter is negative if a repetition would not help, or must wait too long.
func pauseAfter(response *http.Response, err error, attempt int) time.Duration {
	if err != nil {
		if errors.As(err, new(permanent)) {
			return -1
		}
		return pauseBefore(attempt, "")
	}
	if response.StatusCode != http.StatusTooManyRequests && response.StatusCode != http.StatusServiceUnavailable {
		return -1
	}
	pause := pauseBefore(attempt, response.Header.Get("Retry-After"))
	if pause > maxPause {
		return -1
	}
	return pause
}

// pauseBefore is what Retry-After asks for; otherwise a random time that doubles, so that clients do not return together.
func pauseBefore(attempt int, retryAfter string) time.Duration {
	value := strings.TrimSpace(retryAfter)
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if date, err := http.ParseTime(value); err == nil {
		return max(0, time.Until(date))
	}
	return time.Duration(rand.Float64() * float64(firstPause<<(attempt-1)))
}
