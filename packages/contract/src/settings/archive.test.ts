import { expect, it } from 'vitest';
import { ARCHIVE_SETTINGS } from './archive.ts';

const accepts = (archive_url: unknown) => ARCHIVE_SETTINGS.schema.safeParse({ archive_url }).success;

it('the address of the archive uses https, or http on loopback', () => {
  for (const url of [
    'https://archive.example.com',
    'https://10.0.0.7/envoy/',
    'http://127.0.0.1:8080',
    'http://[::1]/a',
  ])
    expect([url, accepts(url)]).toEqual([url, true]);
  for (const url of [
    'http://archive.example.com',
    'http://10.0.0.7',
    'http://127.0.0.1.example.com',
    'ftp://127.0.0.1',
  ])
    expect([url, accepts(url)]).toEqual([url, false]);
});

it('the address of the archive contains no credentials, no query and no fragment, in any spelling', () => {
  for (const url of [
    'https://user:pass@archive.example.com',
    'https://token@archive.example.com',
    'http://127.0.0.1@archive.example.com',
    'https://archive.example.com/?key=1',
    'https://archive.example.com/?',
    'https://archive.example.com/#x',
    'javascript:alert(1)',
    'file:///etc/passwd',
    `https://archive.example.com/${'a'.repeat(600)}`,
    7,
  ])
    expect([url, accepts(url)]).toEqual([url, false]);
});
