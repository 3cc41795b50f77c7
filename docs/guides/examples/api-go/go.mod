module example.com/api

go 1.22

require (
	github.com/MicahParks/keyfunc/v3 v3.3.5
	github.com/golang-jwt/jwt/v5 v5.2.1
)

require (
	github.com/MicahParks/jwkset v0.5.19 // indirect
	golang.org/x/time v0.5.0 // indirect
)
