import { expect, it } from 'vitest';
import { Flows } from './flow.ts';

const cipher = {
  encrypt: (text: Buffer) => Buffer.from(text),
  decrypt: (text: Buffer) => text,
};
const BEGUN = new Date(1_000_000);
const later = (minutes: number) => new Date(BEGUN.getTime() + minutes * 60_000);
const flow = (state: string) => ({
  provider: 'corp',
  issuer: 'https://accounts.example',
  state,
  nonce: 'n',
  verifier: 'v',
  returnTo: '/',
});

it('a sign-in at a provider expires after ten minutes', () => {
  const flows = new Flows(cipher);
  const { value } = flows.add(undefined, flow('one'), BEGUN);
  expect(flows.take(value, 'one', later(9)).flow?.state).toBe('one');
  expect(flows.take(value, 'one', later(10)).flow).toBeUndefined();
});

it('an unknown state finds nothing and changes nothing', () => {
  const flows = new Flows(cipher);
  const { value } = flows.add(flows.add(undefined, flow('one'), BEGUN).value, flow('two'), BEGUN);
  const { flow: none, left } = flows.take(value, 'three', BEGUN);
  expect(none).toBeUndefined();
  expect(flows.take(left?.value, 'two', BEGUN).flow?.state).toBe('two');
  const { left: rest } = flows.take(value, 'one', BEGUN);
  expect(flows.take(rest?.value, 'one', BEGUN).flow).toBeUndefined();
  expect(flows.take(undefined, undefined, BEGUN)).toEqual({ flow: undefined, left: null });
});

it('a cookie that this installation has not encrypted is ignored', () => {
  const flows = new Flows({
    ...cipher,
    decrypt: () => {
      throw new Error('another key');
    },
  });
  const { value } = new Flows(cipher).add(undefined, flow('one'), BEGUN);
  expect(flows.take(value, 'one', BEGUN)).toEqual({ flow: undefined, left: null });
});

it('a cookie has one valid spelling (attack 15)', () => {
  const flows = new Flows(cipher);
  const { value } = flows.add(undefined, flow('one'), BEGUN);
  for (const other of [`${value}=`, `${value}==`, ` ${value}`, `${value}.`, `${value}\n`])
    expect(flows.take(other, 'one', BEGUN).flow, other).toBeUndefined();
  expect(flows.take(value, 'one', BEGUN).flow?.state).toBe('one');
});
