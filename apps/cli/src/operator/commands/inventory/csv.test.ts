import type { InventoryOperationSummary } from '@flotilla/contract';
import { expect, it } from 'vitest';
import { toCsv } from './csv.ts';

const row = (host: string, path: string) =>
  ({
    id: '0123456789abcdef',
    method: 'GET',
    host,
    normalized_path: path,
    operation: '',
    confirmed: true,
    seen_count: 3,
    error_count: 0,
    latency_max_ms: 1.5,
    threat_flags: [
      { flag: 'bola_suspect', active: true },
      { flag: 'pii_observed', active: false },
    ],
    exposure_flags: [],
    pii_categories: [],
    endpoint_categories: ['auth_endpoint', 'api_docs'],
    protocols: [],
    listeners: [],
  }) as unknown as InventoryOperationSummary;

it('operations as CSV have a line each, with quoted texts', () => {
  const lines = toCsv([row('a.example', '/x,"y"/{id}')]).split('\r\n');
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^id,method,host,path,/);
  expect(lines[1]).toMatch(/^0123456789abcdef,GET,a\.example,"\/x,""y""\/\{id\}",,true,3,0,1\.5,/);
  expect(lines[1]).toContain(',bola_suspect,');
  expect(lines[1]).toContain(',"auth_endpoint api_docs",');
});

it.each(['=HYPERLINK("http://evil")', '+1+1', '-2+3', '@SUM(A1)', '\t=1', ' =1', '\u001b[2J=1', '|calc', '%0A'])(
  'a text that a spreadsheet would run is a text in CSV: %j',
  (text) => {
    const csv = toCsv([row(text, '/x\r\n=1')]);
    expect(csv).not.toMatch(/(?:^|,|\n)"?\s*[=+\-@|%]/);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals run them
    expect(csv.replaceAll('\r\n', '')).not.toMatch(/[\u0000-\u001f]/);
  },
);
