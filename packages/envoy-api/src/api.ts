import type { JsonValue, Registry } from '@bufbuild/protobuf';
import { err, ok, type Result, type Violation } from '@flotilla/kit';
import { describeMessage, type MessageDescription } from './describe.ts';
import { docsUrlOf } from './docs-url.ts';
import { checkForm, checkMessage } from './json/check.ts';
import { decodeMessage } from './json/decode.ts';
import { encodeMessage } from './json/encode.ts';
import { type Visitor, walkMessage } from './json/walk.ts';
import type { MessagePlan } from './schema/plan.ts';
import { Planner } from './schema/planner.ts';

export interface CheckOutcome {
  /** Problems for which Envoy would refuse the document. */
  readonly errors: Violation[];
  /** Deprecated fields and values that Envoy still accepts. */
  readonly warnings: Violation[];
}

/**
 * The API of one version of Envoy. All methods are pure and take full message names
 * (`envoy.config.cluster.v3.Cluster`); those that return no violations throw RangeError for a name that this version
 * does not know (see `hasMessage`).
 */
export interface EnvoyApi {
  readonly version: string;
  /** `binary`: extracted from that version's own binary; `package`: the general set that is bundled. */
  readonly source: 'binary' | 'package';
  readonly registry: Registry;
  hasMessage(typeName: string): boolean;
  /** Full names, sorted. */
  messages(): readonly string[];
  /**
   * Encodes snake_case (or camelCase) proto-JSON deterministically. Checks the form, not constraints; every problem has
   * its JSON path.
   */
  encode(typeName: string, json: JsonValue): Result<Uint8Array, Violation[]>;
  /**
   * Decodes bytes to snake_case proto-JSON. An Any of an unknown type stays `{ "@type", "$raw": base64 }`. Throws on
   * malformed bytes.
   */
  decode(typeName: string, bytes: Uint8Array): JsonValue;
  /** Checks form, constraint rules and deprecations, also inside Any. */
  check(typeName: string, json: JsonValue, options?: { readonly allowRefs?: boolean }): CheckOutcome;
  /** Visits every message and set field; see `Visitor`. */
  walk(typeName: string, json: JsonValue, visitor: Visitor): void;
  /**
   * Paths of set fields that Envoy's API marks as sensitive, at any depth and inside Any; nothing below such a path is
   * listed.
   */
  sensitivePaths(typeName: string, json: JsonValue): string[];
  /** The documentation page of the message for this version. */
  docsUrl(typeName: string): string;
  describe(typeName: string): MessageDescription;
}

export interface EnvoyApiSource {
  readonly version: string;
  readonly source: 'binary' | 'package';
  readonly registry: Registry;
}

export function createEnvoyApi(source: EnvoyApiSource): EnvoyApi {
  return new DescriptorApi(source);
}

class DescriptorApi implements EnvoyApi {
  readonly version: string;
  readonly source: 'binary' | 'package';
  readonly registry: Registry;
  readonly #planner: Planner;

  constructor({ version, source, registry }: EnvoyApiSource) {
    this.version = version;
    this.source = source;
    this.registry = registry;
    this.#planner = new Planner(registry);
  }

  hasMessage(typeName: string): boolean {
    return this.registry.getMessage(typeName) !== undefined;
  }

  messages(): readonly string[] {
    return this.#planner.messages();
  }

  encode(typeName: string, json: JsonValue): Result<Uint8Array, Violation[]> {
    const plan = this.#planner.find(typeName);
    if (!plan) return err([this.#unknownMessage(typeName)]);
    const { errors } = checkForm(this.#planner, plan, json);
    return errors.length > 0 ? err(errors) : ok(encodeMessage(this.#planner, plan, json));
  }

  decode(typeName: string, bytes: Uint8Array): JsonValue {
    const plan = this.#plan(typeName);
    try {
      return decodeMessage(this.#planner, plan, bytes);
    } catch (cause) {
      throw new Error(`these bytes are no ${typeName}: ${cause instanceof Error ? cause.message : String(cause)}`, {
        cause,
      });
    }
  }

  check(typeName: string, json: JsonValue, options: { readonly allowRefs?: boolean } = {}): CheckOutcome {
    const plan = this.#planner.find(typeName);
    if (!plan) return { errors: [this.#unknownMessage(typeName)], warnings: [] };
    const { errors, warnings } = checkMessage(this.#planner, plan, json, { allowRefs: options.allowRefs ?? false });
    return { errors, warnings };
  }

  walk(typeName: string, json: JsonValue, visitor: Visitor): void {
    walkMessage(this.#planner, this.#plan(typeName), json, visitor);
  }

  sensitivePaths(typeName: string, json: JsonValue): string[] {
    const paths = new Set<string>();
    this.walk(typeName, json, {
      field: (visit) => {
        if (!visit.field.sensitive) return undefined;
        paths.add(visit.path);
        return 'skip';
      },
    });
    return [...paths];
  }

  docsUrl(typeName: string): string {
    return docsUrlOf(this.#plan(typeName).desc, this.version);
  }

  describe(typeName: string): MessageDescription {
    return describeMessage(this.#plan(typeName), this.docsUrl(typeName));
  }

  #plan(typeName: string): MessagePlan {
    const plan = this.#planner.find(typeName);
    if (!plan) throw new RangeError(this.#unknownMessage(typeName).message);
    return plan;
  }

  #unknownMessage(typeName: string): Violation {
    const near = this.#planner.findSimilarType(typeName);
    const hint = near === undefined ? '' : `; did you mean ${near}?`;
    const message = `Envoy ${this.version} knows no message ${JSON.stringify(typeName.slice(0, 120))}${hint}`;
    return { path: '', rule: 'unknown_message', message };
  }
}
