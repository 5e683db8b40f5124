import { expect, it } from 'vitest';
import { toPolicyErrors } from './policy-errors.ts';

const refuse = (body: {
  code: string;
  details?: { path: string; rule: string; message: string }[];
  problems?: object[];
}) => ({
  code: body.code,
  message: 'no',
  details: body.details ?? [],
  body: { ...body, message: 'no', request_id: 'r' },
});

it('problems of the filter with line and column take precedence over the details derived from them', () => {
  const error = refuse({
    code: 'policy.invalid',
    details: [{ path: 'spec.domains[0].hosts[0]', rule: 'host.invalid', message: 'p.yaml:7: is not a host name' }],
    problems: [
      { file: 'p.yaml', line: 7, column: 15, field: 'spec.domains[0].hosts[0]', rule: 'host.invalid', message: 'bad' },
    ],
  });
  expect(toPolicyErrors(error)).toEqual([
    { path: 'spec.domains[0].hosts[0]', rule: 'host.invalid', message: 'bad', line: 7, column: 15 },
  ]);
});

it('details are used if there are no problems with lines, and the message if there are neither', () => {
  const detail = { path: 'metadata.name', rule: 'name', message: 'make them equal' };
  expect(toPolicyErrors(refuse({ code: 'policy.invalid', details: [detail] }))).toEqual([detail]);
  expect(toPolicyErrors(refuse({ code: 'policy.clash' }))).toEqual([{ path: '', rule: 'policy.clash', message: 'no' }]);
});

it('other refusals return undefined', () => {
  expect(toPolicyErrors(refuse({ code: 'record.stale' }))).toBeUndefined();
});
