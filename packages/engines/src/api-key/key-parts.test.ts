import { describe, expect, it } from 'vitest';
import { askFields, FORM, METHOD, PARTS, partNamed, partOf } from './testing.ts';

const askParts = (parts: string, type: string = PARTS) => askFields({ type, body: `${parts}--b--\r\n` });

it.each(["' _method'", "'_method '", "'\t_method'", '" _method"', "' .method'", "'  %5Fmethod'"])(
  'a part whose name PHP finds in single quotes overrides the method (attack 7): %s',
  (name) => expect(askFields({ type: PARTS, body: `${partNamed(name)}--b--\r\n` })).toBe(METHOD),
);

describe('a form part that overrides the method', () => {
  it.each([
    ['in quotes', partNamed('"_method"'), METHOD],
    ['without quotes', partNamed('_method'), METHOD],
    ['in single quotes', partNamed("'_method'"), METHOD],
    ['in other case', partNamed('"_Method"'), METHOD],
    ['behind another part', partNamed('"a"', '1') + partNamed('"_method"'), METHOD],
    ['twice', partNamed('"_method"', 'POST') + partNamed('"_method"'), METHOD],
    ['in a list', partNamed('"_method[]"'), METHOD],
    ['with white space', partOf('Content-Disposition: form-data; name = "_method"'), METHOD],
    ['on a line of its own', partOf('Content-Disposition: form-data;\r\n name="_method"'), METHOD],
    ['behind a header', partOf('X: y\r\ncontent-disposition: form-data; NAME="_method"'), METHOD],
    ['behind another name', partOf('Content-Disposition: form-data; name="a"; name="_method"'), METHOD],
    ['before a filename', partOf('Content-Disposition: form-data; name="_method"; filename="x"'), METHOD],
    ['behind a filename', partOf('Content-Disposition: form-data; filename="x"; name="_method"'), METHOD],
    ['within a filename', partOf('Content-Disposition: form-data; name="a"; filename="x\\"; name=\\"_method"'), METHOD],
    ['escaped', partNamed('"%5Fmethod"'), METHOD],
    ['with backslashes', partNamed('"\\_m\\ethod"'), METHOD],
    ['in a quote that does not end', partNamed('"_method'), METHOD],
    ['up to a NUL', partNamed('"_method\0x"'), METHOD],
    ['as PHP reads it', partNamed('".method"'), METHOD],
    ['by a name that formidable finds', partOf('Content-Disposition: form-data; x-name="_method"'), METHOD],
    ['by RFC 2231', partNamed("*=utf-8''%5Fmethod").replace('name=*', 'name*'), METHOD],
    ['in pieces', partOf('Content-Disposition: form-data; name*0="_met"; name*1="hod"'), METHOD],
    ['as Rack finds it where there is no other', partOf('Content-ID: _method'), METHOD],
    ['behind a Content-ID', partOf('content-id:"_method"\r\nContent-Disposition: form-data'), METHOD],
    ['in words of mails', partNamed('"=?utf-8?q?=5Fmethod?="'), METHOD],
    [
      'with a content in base64',
      partOf('Content-Transfer-Encoding: base64\r\nContent-Disposition: form-data; name="_method"', 'REVMRVRF'),
      METHOD,
    ],
    [
      'with a charset',
      partOf('Content-Disposition: form-data; name="_method"\r\nContent-Type: text/plain; charset=utf-16', 'D\0E\0L\0'),
      METHOD,
    ],
    ['within white space', partNamed('"_method"', '\r\n DELETE '), METHOD],
    [
      'in a part of a part',
      partOf(
        'Content-Disposition: form-data; name="_method"\r\nContent-Type: multipart/mixed; boundary=c',
        '--c\r\n\r\nDELETE\r\n--c--',
      ),
      METHOD,
    ],
    ['that is long', partNamed('"_method"', `POST,${'x'.repeat(300)}`), METHOD],
    ['before the first delimiter', `Content-Disposition: form-data; name="_method"\r\n\r\nDELETE\r\n`, METHOD],
    ['that is listed', partNamed('"_method"', 'post'), 'allow'],
    ['that is empty', partNamed('"_method"', ''), 'allow'],
    ['in no name', partNamed('"a"', '_method=DELETE'), 'allow'],
    ['in a name that is longer', partNamed('"_methods"') + partNamed('"payment_method"'), 'allow'],
    ['in a filename', partOf('Content-Disposition: form-data; name="a"; filename="_method"'), 'allow'],
    ['beside a name with escapes', partNamed('"a%22b"', '1') + partNamed('"a\\"b"', '2'), 'allow'],
    [
      'beside a file',
      partOf(
        'Content-Disposition: form-data; name="a"; filename="x.png"\r\nContent-Type: image/png',
        '\x89PNG\r\n\x1a\n--\r\n\r\n\0',
      ),
      'allow',
    ],
  ])('%s', (_, parts, expected) => expect(askParts(parts)).toBe(expected));

  it.each([
    'multipart/form-data; boundary="b"',
    'Multipart/Form-Data;boundary=b',
    'multipart/mixed; boundary=b',
    'multipart/related; boundary=b',
    'x/multipart; boundary=b',
    'multipart/form-data',
    'multipart/form-data; boundary=x; boundary=b',
    "multipart/form-data; boundary*=utf-8''b",
    `${FORM}; x=multipart/form-data; boundary=b`,
  ])('is found under %s', (type) => {
    expect(askParts(partNamed('"_method"'), type)).toBe(METHOD);
    expect(askParts(partNamed('"a"'), type)).toBe('allow');
  });

  it('is found with other line ends, and with delimiters at other positions', () => {
    const body = `${partNamed('"_method"')}--b--\r\n`;
    for (const text of [
      body.replaceAll('\r\n', '\n'),
      body.replaceAll('\r\n', '\r'),
      `x${body}`,
      `\r\n${body}`,
      body.replaceAll('--b', '--b \t'),
    ])
      expect(askFields({ type: PARTS, body: text })).toBe(METHOD);
  });

  it('is unread in a charset that redefines ASCII, and among more parts than servers accept', () => {
    expect(askParts(partNamed('"a"'), `${PARTS}; charset=ibm037`)).toBe(METHOD);
    expect(askParts(partNamed('"a"'), `${PARTS}; charset=utf-8`)).toBe('allow');
    expect(askParts(partNamed('"a"').repeat(9_000))).toBe('allow');
    expect(askParts(partNamed('"a"').repeat(11_000))).toBe(METHOD);
  });
});
