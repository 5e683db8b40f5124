import type { extProc } from '@flotilla/proto';
import { describe, expect, it } from 'vitest';
import { headersMessage, headersOf, REQUEST, runtimeOf, serve } from '../testing/recorded-exchange.ts';

describe('the grant of an engine', () => {
  const EXTRAS = {
    api_key: { keys: [{ key: 'k1', subject: 'alice' }], subject_header: 'x-user', strip_credential: true },
  };
  const mutationOf = (response: extProc.ProcessingResponse['response'] | undefined) => {
    if (response?.case !== 'requestHeaders') throw new Error(String(response?.case));
    return response.value.response?.headerMutation;
  };

  it('changes the request: the credential is removed, the subject added', () => {
    const { ask } = serve(runtimeOf(EXTRAS));
    const mutation = mutationOf(ask(headersMessage([...REQUEST, ['x-api-key', 'k1'], ['x-user', 'root']])));
    expect(mutation?.removeHeaders).toEqual(['x-api-key', 'x-user']);
    expect(headersOf(mutation)).toEqual([['x-user', 'alice']]);
    expect(mutation?.setHeaders[0]?.appendAction).toBe(2);
  });

  it('removes a credential from the query of each request', () => {
    const { ask } = serve(runtimeOf({ api_key: { ...EXTRAS.api_key, source: 'query', name: 'key' } }));
    const target = (path: string) =>
      headersOf(
        mutationOf(
          ask(
            headersMessage([
              [':method', 'GET'],
              [':path', path],
              [':authority', 'api.example.com'],
            ]),
          ),
        ),
      );
    expect(target('/x?a=1&key=k1')).toContainEqual([':path', '/x?a=1']);
    expect(target('/y?k%65y=k1')).toContainEqual([':path', '/y']);
  });

  it('is not available to a client that names itself, even if mode detect allows it', () => {
    const runtime = runtimeOf(EXTRAS, { mode: 'detect' });
    const mutation = mutationOf(serve(runtime).ask(headersMessage([...REQUEST, ['x-user', 'root']])));
    expect(mutation?.removeHeaders).toContain('x-user');
    expect(mutation?.setHeaders).toEqual([]);
  });
});
