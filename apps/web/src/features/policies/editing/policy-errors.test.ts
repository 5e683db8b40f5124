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

it("takes the filter's own problems with line and column, rather than the details made of them", () => {
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

it('takes the details where there are no places, and the message where there is neither', () => {
  const detail = { path: 'metadata.name', rule: 'name', message: 'make them equal' };
  expect(toPolicyErrors(refuse({ code: 'policy.invalid', details: [detail] }))).toEqual([detail]);
  expect(toPolicyErrors(refuse({ code: 'policy.clash' }))).toEqual([{ path: '', rule: 'policy.clash', message: 'no' }]);
});

it('leaves other refusals to those who can explain them', () => {
  expect(toPolicyErrors(refuse({ code: 'record.stale' }))).toBeUndefined();
});
