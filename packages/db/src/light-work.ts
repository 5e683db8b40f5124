import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate } from 'node:timers/promises';
import type {
  KyselyPlugin,
  PluginTransformQueryArgs,
  PluginTransformResultArgs,
  QueryResult,
  RootOperationNode,
  UnknownRow,
} from 'kysely';
import pg from 'pg';

/** Shorter JSON is parsed at once and does not count. */
const HELD_FROM_CHARS = 4096;
/** Texts and bytes, which are not parsed: this many cost as much as one character of JSON. */
const PLAIN_PER_CHAR = 8;
/** Background work pauses after parsing this much, to give others a turn. */
const PAUSE_AFTER_CHARS = 128 * 1024;

/** The work reads more from the database than light work may. */
export class TooHeavy extends Error {
  constructor() {
    super('the work reads more than light work may');
  }
}

interface Allowance {
  left: number;
}

const allowances = new AsyncLocalStorage<Allowance>();

/**
 * Runs work with a limit on the total characters of large JSON values that it reads (those from 4 KiB on count). Above
 * it, rejects with `TooHeavy` before the value is parsed, and rolls back its transaction.
 */
export function runLight<T>(chars: number, work: () => Promise<T>): Promise<T> {
  return allowances.run({ left: chars }, work);
}

/** Counts work on other inputs than the database. Throws `TooHeavy` above the allowance. */
export function spendLight(chars: number): void {
  const allowance = allowances.getStore();
  if (!allowance) return;
  allowance.left -= chars;
  if (allowance.left < 0) throw new TooHeavy();
}

/** A JSON value as the database sent it. */
class HeldJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

const { JSON: JSON_OID, JSONB: JSONB_OID } = pg.types.builtins;
const holdLarge = (text: string): unknown => (text.length < HELD_FROM_CHARS ? JSON.parse(text) : new HeldJson(text));

/** For connections whose queries use `LargeValues`. */
export const HOLDING_TYPES: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === JSON_OID || oid === JSONB_OID
      ? holdLarge
      : pg.types.getTypeParser(oid, format as 'text')) as pg.CustomTypesConfig['getTypeParser'],
};

/** Parses large JSON values if the caller's allowance permits it. */
export class LargeValues implements KyselyPlugin {
  transformQuery({ node }: PluginTransformQueryArgs): RootOperationNode {
    return node;
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    const { held, weight } = weigh(result.rows);
    spendLight(weight);
    let parsed = 0;
    for (const { row, name, text } of held) {
      row[name] = JSON.parse(text);
      parsed += text.length;
      if (parsed < PAUSE_AFTER_CHARS) continue;
      await setImmediate();
      parsed = 0;
    }
    return result;
  }
}

interface HeldValue {
  readonly row: UnknownRow;
  readonly name: string;
  readonly text: string;
}

function weigh(rows: readonly UnknownRow[]): { readonly held: readonly HeldValue[]; readonly weight: number } {
  const held: HeldValue[] = [];
  let weight = 0;
  for (const row of rows) {
    for (const name in row) {
      const value = row[name];
      if (value instanceof HeldJson) {
        held.push({ row, name, text: value.text });
        weight += value.text.length;
      } else if (typeof value === 'string' || value instanceof Uint8Array) {
        if (value.length >= HELD_FROM_CHARS) weight += value.length / PLAIN_PER_CHAR;
      }
    }
  }
  return { held, weight };
}
