import fc from 'fast-check';
import { anyPairs, toQuery } from './pairs-arbitrary.ts';
import { anyParts, BOUNDARY } from './parts-arbitrary.ts';

const FORM = 'application/x-www-form-urlencoded';

const anyFormType = fc.oneof(
  { weight: 8, arbitrary: fc.constant(FORM) },
  fc.constantFrom(
    `${FORM}; charset=utf-8`,
    `${FORM};charset=iso-8859-1`,
    `${FORM}; charset=utf-16`,
    `${FORM}; charset=shift_jis`,
    `${FORM.toUpperCase()}`,
    ` ${FORM} `,
    `${FORM}, application/json`,
    `${FORM};a="`,
  ),
);

const anyTarget = fc.oneof(
  { weight: 2, arbitrary: fc.constant('/graphql') },
  anyPairs.map((pairs) => `/graphql?${toQuery(pairs)}`),
);

const anyBody = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyFormType, anyPairs) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(`multipart/form-data; boundary=${BOUNDARY}`), anyParts) },
);

/** A request that Envoy accepts, with pairs in its URL or body, or with parts. */
export const anyRequest = fc.oneof(
  anyPairs.map((pairs) => ({
    method: 'GET',
    target: `/graphql?${toQuery(pairs)}`,
    type: undefined,
    body: Buffer.alloc(0),
  })),
  {
    weight: 2,
    arbitrary: fc
      .tuple(anyTarget, anyBody)
      .map(([target, [type, body]]) => ({ method: 'POST', target, type, body: Buffer.from(body, 'latin1') })),
  },
);
