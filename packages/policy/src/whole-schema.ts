import * as z from 'zod';
import { ENGINE_NAMES, ENGINE_SPECS } from './engines/index.ts';
import { describeDocument } from './schema.ts';

const blocks = Object.fromEntries(ENGINE_NAMES.map((name) => [name, ENGINE_SPECS[name].schema.optional()]));

/**
 * The document with what lies inside engine blocks, for whoever tells of documents and not for checking them: secrets in it
 * have `meta({ secret: true })`.
 */
export const wholePolicySchema = describeDocument(z.strictObject(blocks));
