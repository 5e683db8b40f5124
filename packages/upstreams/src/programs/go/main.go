// What net/url and net/http of Go take from a request: the program prints its port and answers with what it has read.
package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

type reading struct {
	Documents []string `json:"documents"`
	Methods   []string `json:"methods"`
}

func encode(lists ...[]string) []string {
	encoded := []string{}
	for _, list := range lists {
		for _, text := range list {
			encoded = append(encoded, base64.StdEncoding.EncodeToString([]byte(text)))
		}
	}
	return encoded
}

func read(w http.ResponseWriter, r *http.Request) {
	// What could be read stays where the rest could not.
	_ = r.ParseMultipartForm(1 << 20)
	query := r.URL.Query()
	parts := url.Values{}
	if r.MultipartForm != nil {
		parts = r.MultipartForm.Value
	}
	lists := func(name string) []string {
		return encode(query[name], r.Form[name], r.PostForm[name], parts[name])
	}
	w.Header().Set("content-type", "application/json")
	_ = json.NewEncoder(w).Encode(reading{Documents: lists("query"), Methods: lists("_method")})
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	panic(http.Serve(listener, http.HandlerFunc(read)))
}
