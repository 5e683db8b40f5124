import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromHostText, isAddressList, parseAddressLine, parseAddressLines, toHostText } from './address-lines.ts';

describe('a line with an address', () => {
  it.each([
    ['192.0.2.1:80', '192.0.2.1', '80', ''],
    ['  backend.example:8080:3 ', 'backend.example', '8080', '3'],
    ['backend.example : 8080 : 3', 'backend.example', '8080', '3'],
    ['[2001:db8::1]:80:5', '[2001:db8::1]', '80', '5'],
    ['[2001:db8::1]', '[2001:db8::1]', '', ''],
    ['backend.example', 'backend.example', '', ''],
    ['192.0.2.1:99999:0', '192.0.2.1', '99999', '0'],
    ['2001:db8::1:80', '2001:db8::1:80', '', ''],
    ['a:1:2:3', 'a:1:2:3', '', ''],
    ['http://a.example:80', 'http', '//a.example', '80'],
    ['[::1', '[::1', '', ''],
  ])('%s has the expected parts', (line, host, port, weight) => {
    expect(parseAddressLine(line)).toEqual({ host, port, weight });
  });

  it('loses no letter, whatever is pasted', () => {
    const letters = (text: string) => text.replace(/[\s:]/g, '');
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '1', ':', '[', ']', ' ', '.') }), (line) => {
        const { host, port, weight } = parseAddressLine(line);
        expect(letters(host + port + weight)).toBe(letters(line));
      }),
    );
  });

  it('is one of a list if there are several lines, or if it has a port', () => {
    expect(parseAddressLines('a:1\r\n\n  \nb:2\rc:3\n').map(({ host }) => host)).toEqual(['a', 'b', 'c']);
    expect(isAddressList('a:1')).toBe(true);
    expect(isAddressList('a\nb')).toBe(true);
    expect(isAddressList('a\n')).toBe(false);
    expect(isAddressList('2001:db8::1')).toBe(false);
    expect(isAddressList('')).toBe(false);
  });

  it('shows an IPv6 address in brackets, and stores it without', () => {
    expect(toHostText('::1')).toBe('[::1]');
    expect(fromHostText('[::1]')).toBe('::1');
    expect(fromHostText('[::1')).toBe('[::1');
    expect(fromHostText('[name]')).toBe('[name]');
    expect(toHostText('192.0.2.1')).toBe('192.0.2.1');
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(fromHostText(toHostText(address))).toBe(address);
      }),
    );
  });
});
