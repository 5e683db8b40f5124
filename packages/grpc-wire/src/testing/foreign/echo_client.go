// Calls the echo service of the tests with grpc-go as it is: its flow control sends a PING with the data (BDP estimation).
//
// echo_client ADDRESS PATH CALLS MESSAGES BYTES
//
// CALLS at once on one connection, each sends MESSAGES of BYTES and waits for every echo. It prints what came back.
package main

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
)

// rawCodec leaves messages as they are.
type rawCodec struct{}

func (rawCodec) Marshal(v interface{}) ([]byte, error) { return *(v.(*[]byte)), nil }

func (rawCodec) Unmarshal(data []byte, v interface{}) error {
	*(v.(*[]byte)) = append([]byte(nil), data...)
	return nil
}

func (rawCodec) Name() string { return "raw" }

func number(at int) int {
	value, err := strconv.Atoi(os.Args[at])
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func call(ctx context.Context, conn *grpc.ClientConn, path string, messages int, size int) error {
	desc := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
	stream, err := conn.NewStream(ctx, desc, path)
	if err != nil {
		return err
	}
	for n := 0; n < messages; n++ {
		sent := append([]byte(fmt.Sprintf("echo:%d:", n)), bytes.Repeat([]byte("x"), size)...)
		if err := stream.SendMsg(&sent); err != nil {
			return err
		}
		var got []byte
		if err := stream.RecvMsg(&got); err != nil {
			return err
		}
		if !bytes.Equal(sent, got) {
			return fmt.Errorf("message %d came back as %d bytes, not %d", n, len(got), len(sent))
		}
	}
	return stream.CloseSend()
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	calls, messages, size := number(3), number(4), number(5)
	limit := grpc.MaxCallRecvMsgSize(64 << 20)
	conn, err := grpc.DialContext(ctx, os.Args[1], grpc.WithInsecure(), grpc.WithBlock(),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(rawCodec{}), limit))
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	var group sync.WaitGroup
	errs := make(chan error, calls)
	for n := 0; n < calls; n++ {
		group.Add(1)
		go func() {
			defer group.Done()
			if err := call(ctx, conn, os.Args[2], messages, size); err != nil {
				errs <- err
			}
		}()
	}
	group.Wait()
	close(errs)
	failed := 0
	for err := range errs {
		failed++
		fmt.Fprintln(os.Stderr, err)
	}
	fmt.Printf("echoed %d of %d calls\n", calls-failed, calls)
}
