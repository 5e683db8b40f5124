import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestController, type TestController } from '../../testing/controller.ts';

const WAIT = { interval: 50 };

let t: TestController;
beforeAll(async () => {
  t = await createTestController();
});
afterAll(() => t?.close());

async function callIt(name: string): Promise<void> {
  const body = { name, public_url: 'https://fleet.example.com' };
  const answer = await t.owner.call('PUT', '/api/v3/setting/documents/general', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  await vi.waitFor(async () => {
    const { body: realms } = await t.owner.call('GET', '/auth/realms');
    expect(realms).toMatchObject({ installation: name, items: [{ name: 'local', title: name }] });
  }, WAIT);
}

it("the name of the installation is shown before the sign-in, and labels codes and passkeys on people's devices", async () => {
  await callIt('North: lab');
  const member = await t.createMember('viewer');
  const { password } = member;
  const codes = await member.call('POST', '/api/v3/profile/otp/enable', { password });
  const uri = new URL(codes.body.otpauth_uri);
  expect(uri.searchParams.get('issuer')).toBe('North  lab');
  // Issuer and account are separated by the only colon.
  expect(decodeURIComponent(uri.pathname).split(':')).toEqual([
    expect.stringMatching(/North {2}lab$/),
    member.username,
  ]);
  const asked = await member.call('POST', '/api/v3/profile/passkeys/begin', { password });
  expect(asked.status, JSON.stringify(asked.body)).toBe(200);
  expect(JSON.stringify(asked.body)).toContain('"name":"North: lab"');
  await callIt('South');
  const later = await t.createMember('viewer');
  const again = await later.call('POST', '/api/v3/profile/otp/enable', { password: later.password });
  expect(new URL(again.body.otpauth_uri).searchParams.get('issuer')).toBe('South');
});
