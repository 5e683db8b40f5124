import { describe, expect, it } from 'vitest';
import { hasContent, refOf, typeOfAny, withExtension } from './any.ts';

const ROUTER = { name: 'envoy.filters.http.router', type: 'a.v3.Router' };
const options = { configKey: 'typed_config', hasName: true, canonicalNames: new Set(['envoy.filters.http.cors']) };
const config = { '@type': 'type.googleapis.com/a.v3.Router' };

describe('an Any', () => {
  it('has the message type after the last slash', () => {
    expect(typeOfAny({ '@type': 'type.googleapis.com/a.v3.Router' })).toBe('a.v3.Router');
    expect(typeOfAny({ '@type': 'a.v3.Router' })).toBe('a.v3.Router');
    expect(typeOfAny({ '@type': '' })).toBeUndefined();
    expect(typeOfAny({})).toBeUndefined();
    expect(typeOfAny('text')).toBeUndefined();
  });

  it('without other fields than its type is empty', () => {
    expect(hasContent(config)).toBe(false);
    expect(hasContent({ ...config, a: 1 })).toBe(true);
    expect(hasContent({ $ref: 'filters/x' })).toBe(false);
  });

  it('may be a reference', () => {
    expect(refOf({ $ref: 'filters/x' })).toBe('filters/x');
    expect(refOf(config)).toBeUndefined();
  });
});

describe('a message that carries an extension', () => {
  it('receives the canonical name and the configuration of the extension', () => {
    expect(JSON.stringify(withExtension({}, ROUTER, options))).toBe(
      JSON.stringify({ name: 'envoy.filters.http.router', typed_config: config }),
    );
  });

  it('keeps a name that the user chose and replaces a canonical name', () => {
    expect(withExtension({ name: 'mine' }, ROUTER, options)).toMatchObject({ name: 'mine' });
    expect(withExtension({ name: 'envoy.filters.http.cors' }, ROUTER, options)).toMatchObject({ name: ROUTER.name });
  });

  it('keeps its other fields in their order, and loses its reference', () => {
    const before = { disabled: true, name: '', $ref: 'filters/x', typed_config: {} };
    expect(JSON.stringify(withExtension(before, ROUTER, options))).toBe(
      JSON.stringify({ disabled: true, name: ROUTER.name, typed_config: config }),
    );
  });

  it('gets no name if it has no field for one', () => {
    expect(withExtension({}, ROUTER, { ...options, hasName: false })).toEqual({ typed_config: config });
  });
});
