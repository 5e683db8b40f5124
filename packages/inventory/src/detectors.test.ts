import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detectKind } from './detectors.ts';
import { PLACEHOLDER_OF } from './placeholders.ts';
import { formOf } from './segment-form.ts';

describe('the detectors', () => {
  it.each([
    ['42', 'number'],
    ['-7', 'number'],
    ['12-34-56', 'number'],
    ['52.52', 'number'],
    ['10.0.0.1', 'number'],
    ['INV-2024-001', 'number'],
    ['order_12345', 'number'],
    ['2026-11-28', 'date'],
    ['2026-11', 'date'],
    ['20261128', 'date'],
    ['2F1A6C1E-8a3b-4c5d-9e0f-112233445566', 'uuid'],
    ['user_2f1a6c1e-8a3b-4c5d-9e0f-112233445566', 'uuid'],
    ['507f1f77bcf86cd799439011', 'objectid'],
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV', 'ulid'],
    ['da39a3ee5e6b4b0d3255bfef95601890afd80709', 'hash'],
    ['a1b2c3d', 'hash'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln', 'token'],
    ['x'.repeat(300), 'token'],
    ['AKIAIOSFODNN7EXAMPLE', 'secret'],
    ['ghp_0123456789abcdefghijABCDEFGHIJ012345', 'secret'],
    ['ada@example.com', 'pii'],
    ['my-first-post-4711', 'slug'],
    ['1r0CX70DQL_', 'opaque'],
    ['IJBf2W-h-J9', 'opaque'],
    ['dQw4w9WgXcQ', 'opaque'],
    ['cus_NffrFeUfNV2Hib', 'opaque'],
    ['true', 'word'],
  ])('take %s for a %s', (segment, kind) => {
    expect(detectKind(segment)).toBe(kind);
  });

  it.each([
    'users',
    'v1',
    'v2.1',
    'v1beta1',
    'oauth2',
    's3',
    'sha256',
    'getOffice365ActivationCounts',
    'top25random',
    'recently-visited-v1',
    'load_15',
    'api.k8s.io',
    'createOrder2',
    'face',
    'decade',
    'x509',
    'INTERNAL_SERVER_ERROR',
  ])('leave %s a word', (segment) => {
    expect(detectKind(segment)).toBeUndefined();
  });

  it('know a placeholder for each kind, and take any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (segment) => {
        const kind = detectKind(segment);
        expect(kind === undefined || PLACEHOLDER_OF[kind].startsWith('{')).toBe(true);
        expect(formOf(segment).pattern.length).toBeGreaterThan(0);
      }),
    );
  });
});
