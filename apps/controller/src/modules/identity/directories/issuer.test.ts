import { expect, it } from 'vitest';
import { isIssuerOf } from './issuer.ts';

const TENANT = '8ea2f1c0-6f0b-4f0e-9a55-3b6c2f1f0a11';
const OTHER = '1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed';
const ENTRA = 'https://login.microsoftonline.com';

it.each([
  ['https://id.example', 'https://id.example/'],
  ['HTTPS://ID.example:443/realm', 'https://id.example/realm'],
  ['https://id.example/realm/.well-known/openid-configuration', 'https://id.example/realm'],
  ['https://id.example/.well-known/oauth-authorization-server/realm', 'https://id.example/realm'],
  [`${ENTRA}/${TENANT}/v2.0`, `${ENTRA}/${TENANT}/v2.0`],
  [`${ENTRA}/${TENANT.toUpperCase()}/v2.0`, `${ENTRA}/${TENANT}/v2.0`],
  [`${ENTRA}/${TENANT}`, `https://sts.windows.net/${TENANT}/`],
  [`${ENTRA}/example.org/v2.0`, `${ENTRA}/${TENANT}/v2.0`],
  [`${ENTRA}/organizations/v2.0`, `${ENTRA}/${OTHER}/v2.0`],
  ['https://acme.b2clogin.com/acme.onmicrosoft.com/sign-in/v2.0', `https://acme.b2clogin.com/${TENANT}/v2.0/`],
])('the provider at %s matches the issuer %s', (address, issuer) => {
  expect(isIssuerOf(address, issuer)).toBe(true);
});

it.each([
  ['https://id.example/realm', 'https://id.example/realm/'],
  ['https://id.example/realm', 'https://id.example/other'],
  ['https://id.example/realm/.well-known/openid-configuration', 'https://other.example/realm'],
  [`${ENTRA}/${TENANT}/v2.0`, `${ENTRA}/${OTHER}/v2.0`],
  [`${ENTRA}/${TENANT}`, `https://sts.windows.net/${OTHER}/`],
  [`${ENTRA}/organizations/v2.0`, 'https://id.example'],
  [`${ENTRA}.example/organizations/v2.0`, `${ENTRA}/${TENANT}/v2.0`],
  ['https://acme.b2clogin.com/acme/sign-in/v2.0', `https://other.b2clogin.com/${TENANT}/v2.0/`],
  ['https://b2clogin.com.example/a', 'https://b2clogin.com.example/b'],
  ['no address', 'https://id.example'],
])('the provider at %s does not match the issuer %s', (address, issuer) => {
  expect(isIssuerOf(address, issuer)).toBe(false);
});
