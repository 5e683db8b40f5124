import { MalformedMessage } from '@flotilla/grpc-wire';
import { describe, expect, it } from 'vitest';
import { bodyMessage, runtimeOf, serve } from '../testing/recorded-exchange.ts';

describe('an exchange', () => {
  it('never passes a request whose headers it has not seen', () => {
    const { open, ask } = serve(runtimeOf({}));
    expect(() => ask(bodyMessage(''))).toThrow('began with requestBody');
    expect(() => ask({})).toThrow(MalformedMessage);
    const silent = open();
    silent.handler.onHalfClose();
    expect(silent.call.sent).toEqual(['fail 13']);
  });
});
