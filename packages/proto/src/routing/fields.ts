import * as z from 'zod';
import { parseIp, parsePrefix } from './addresses.ts';

/**
 * The values of the BGP document. Each becomes one word, or the end of one line, of FRR's configuration. None may contain a
 * line break or another control character, so none ends its line. `|` would start a filter of FRR's shell and `?` its help.
 */

export const NAME_MAX = 64;
const TEXT_MAX = 80;
const PASSWORD_MIN = 6;
const EXPRESSION_MAX = 128;

/** The names of lists, route maps, peer groups and profiles. FRR reads names that start with a digit as numbers. */
export const objectNameSchema = z
  .string()
  .max(NAME_MAX)
  .regex(/^[A-Za-z_][A-Za-z0-9_-]*$/, 'must start with a letter or _ and contain only letters, digits, _ and -');

/** FRR joins the words of a description with single spaces. */
export const descriptionSchema = z
  .string()
  .max(TEXT_MAX)
  .regex(
    /^[!-~]+(?: [!-~]+)*$/,
    'must contain only printable ASCII characters, with single spaces and none at the start or end',
  )
  .regex(/^[^|?\\]*$/, 'must not contain |, ? or \\');

export const passwordSchema = z
  .string()
  .min(PASSWORD_MIN)
  .max(TEXT_MAX)
  .regex(/^[!-~]*$/, 'must contain only printable ASCII characters and no space')
  .regex(/^[^|?\\]*$/, 'must not contain |, ? or \\')
  .meta({ secret: true });

export const addressSchema = z
  .string()
  .max(64)
  .transform((text, ctx) => {
    const parsed = parseIp(text);
    if (parsed) return parsed.text;
    ctx.addIssue({ code: 'custom', message: 'must be an IPv4 or IPv6 address' });
    return z.NEVER;
  });

export const ipv4Schema = z
  .string()
  .max(64)
  .refine((text) => parseIp(text)?.family === 'ipv4', 'must be an IPv4 address');

export const prefixSchema = z
  .string()
  .max(64)
  .transform((text, ctx) => {
    const parsed = parsePrefix(text);
    if (parsed) return parsed.text;
    const message = 'must be a network such as 203.0.113.0/24 or 2001:db8::/32, without bits after its length';
    ctx.addIssue({ code: 'custom', message });
    return z.NEVER;
  });

/** An address of this host, or the name of one of its interfaces. */
export const sourceSchema = z
  .string()
  .max(64)
  .transform((text, ctx) => {
    const address = parseIp(text);
    if (address) return address.text;
    if (/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/.test(text)) return text;
    ctx.addIssue({ code: 'custom', message: 'must be an address or the name of an interface' });
    return z.NEVER;
  });

export const asNumberSchema = z.number().int().min(1).max(4_294_967_295);
export const sequenceSchema = z.number().int().min(1).max(65_535);
export const actionSchema = z.enum(['permit', 'deny']);

/** FRR prints the well-known values by name. */
const WELL_KNOWN = ['local-AS', 'no-advertise', 'no-export', 'no-peer', 'blackhole', 'graceful-shutdown'];

export const communitySchema = z
  .string()
  .max(32)
  .refine(
    (text) => WELL_KNOWN.includes(text) || isPairs(text, 2, 65_534, 65_535),
    `must be two numbers such as 64500:100, or one of ${WELL_KNOWN.join(', ')}`,
  );

export const largeCommunitySchema = z
  .string()
  .max(40)
  .refine((text) => isPairs(text, 3, 4_294_967_295, 4_294_967_295), 'must be three numbers such as 64500:1:2');

function isPairs(text: string, count: number, firstMax: number, max: number): boolean {
  const parts = text.split(':');
  if (parts.length !== count) return false;
  return parts.every((part, i) => /^(?:0|[1-9]\d{0,9})$/.test(part) && Number(part) <= (i === 0 ? firstMax : max));
}

/** A regular expression for AS paths or communities. */
export const expressionSchema = z
  .string()
  .min(1)
  .max(EXPRESSION_MAX)
  .regex(/^[0-9:_.*+^$()[\]-]+$/, 'must contain only digits and : _ . * + ^ $ ( ) [ ] -');
