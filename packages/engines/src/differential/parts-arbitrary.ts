import fc from 'fast-check';
import { anyDocument } from './pairs-arbitrary.ts';

export const BOUNDARY = 'b-1';

const anyName = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('query', '_method', 'operations') },
  fc.constantFrom(
    '?query',
    'query ',
    ' query',
    '[query]',
    '%71uery',
    'QUERY',
    '?_method',
    ' _method',
    '_method ',
    'x;_method',
    'operations ',
    'map ',
    '_METHOD',
    '.method',
    'map',
    '0',
    'a',
    '',
  ),
);

const anyQuotedName = fc
  .tuple(anyName, fc.constantFrom('"', '"', '"', '', "'"))
  .map(([name, quote]) => `name=${quote}${name}${quote}`);

const anyHeader = fc.oneof(
  { weight: 4, arbitrary: anyQuotedName.map((name) => `Content-Disposition: form-data; ${name}`) },
  fc.tuple(anyQuotedName, anyName).map(([name, other]) => `Content-Disposition: form-data; ${name}; name="${other}"`),
  anyQuotedName.map((name) => `content-disposition:form-data;filename="a";${name}`),
  anyQuotedName.map((name) => `Content-Type: text/plain; charset=utf-8\r\nContent-Disposition: form-data; ${name}`),
  anyQuotedName.map((name) => `Content-Disposition: form-data;\r\n ${name}`),
);

const anyContent = fc.oneof(
  anyDocument,
  anyDocument.map((query) => JSON.stringify({ query })),
  fc.constantFrom('DELETE', 'PUT', '{"0":["query"]}', '{}'),
);

const anyLine = fc.oneof(
  { weight: 12, arbitrary: fc.constant('\r\n') },
  fc.constantFrom('\n', '\r', '\r\n\r\n', ' \r\n'),
);

const anyPart = fc
  .tuple(anyHeader, anyLine, anyContent, anyLine)
  .map(([header, line, content, end]) => `--${BOUNDARY}\r\n${header}\r\n${line}${content}${end}`);

/** A multipart body, usually complete. */
export const anyParts = fc
  .tuple(fc.array(anyPart, { minLength: 1, maxLength: 3 }), fc.constantFrom('--', '--', '--\r\n', ''))
  .map(([parts, end]) => `${parts.join('')}--${BOUNDARY}${end}`);
