import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { EnvoyApi } from '../api.ts';
import { countVariants, generateMessage } from './message-generator.ts';

/**
 * Every message of a set, with every field, oneof member, map and nested Any: our code and protobuf-es agree in both
 * directions.
 */
export function describeRoundTrips(load: () => Promise<EnvoyApi>, minimumMessages: number): void {
  test('every message round-trips with every field, oneof member, map and nested Any filled', {
    timeout: 120_000,
  }, async () => {
    const api = await load();
    const options = { registry: api.registry, useProtoFieldName: true };
    let count = 0;
    for (const typeName of api.messages()) {
      const desc = api.registry.getMessage(typeName);
      if (!desc) throw new Error(`${typeName} is listed and not there`);
      for (let variant = 0; variant < countVariants(desc); variant += 1) {
        const json = generateMessage(desc, variant);
        const encoded = api.encode(typeName, json);
        if (!encoded.ok) throw new Error(`${typeName} #${variant}: ${JSON.stringify(encoded.error)}`);
        const decoded = api.decode(typeName, encoded.value);
        expect(decoded, `${typeName} #${variant}`).toEqual(json);
        // The oracle reads what we wrote, and we read what it writes
        const oracle = fromBinary(desc, encoded.value);
        expect(withoutFloatNoise(toJson(desc, oracle, options)), `${typeName} #${variant}`).toEqual(
          withoutFloatNoise(json),
        );
        const theirs = toBinary(desc, fromJson(desc, json, options));
        expect(api.decode(typeName, theirs), `${typeName} #${variant}`).toEqual(json);
        expect(theirs.length, `${typeName} #${variant}`).toBe(encoded.value.length);
      }
      count += 1;
    }
    expect(count).toBeGreaterThan(minimumMessages);
  });
}

/** protobuf-es prints a 32-bit float with the digits of a 64-bit one. */
function withoutFloatNoise(json: JsonValue): JsonValue {
  return JSON.parse(JSON.stringify(json), (_, value: unknown) =>
    typeof value === 'number' ? Math.fround(value) : value,
  ) as JsonValue;
}
