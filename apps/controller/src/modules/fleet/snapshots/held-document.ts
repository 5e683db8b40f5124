import type { JsonObject } from '@flotilla/envoy-api';
import type { DocumentCollection, SourceDocument } from '@flotilla/translate';
// Not imported from the feature's index, so that the build processes load no database code.
import { joinPrivate, parseParts } from '../../../platform/json/join-private.ts';

/** A document as plain strings, which are cheap to send to another process. */
export interface DocumentText {
  readonly collection: DocumentCollection;
  readonly name: string;
  readonly type: string;
  readonly revision: number;
  readonly mayReachHost: boolean;
  /** The resource as JSON, without its private values. */
  readonly visible: string;
  /** The private values as JSON; undefined without any. */
  readonly parts: string | undefined;
}

/**
 * A document that is parsed when its resource is first read. It holds the text before that, and only the resource
 * afterwards.
 */
export class HeldDocument implements SourceDocument {
  readonly collection: DocumentCollection;
  readonly name: string;
  readonly type: string;
  readonly revision: number;
  readonly mayReachHost: boolean;
  readonly chars: number;
  #content: DocumentText | JsonObject;
  #isParsed = false;

  constructor(text: DocumentText) {
    this.collection = text.collection;
    this.name = text.name;
    this.type = text.type;
    this.revision = text.revision;
    this.mayReachHost = text.mayReachHost;
    this.chars = text.visible.length + (text.parts?.length ?? 0);
    this.#content = text;
  }

  // On the prototype, so that copying the members (`{ ...document, resource }`) does not parse it.
  get resource(): JsonObject {
    if (!this.#isParsed) {
      const { visible, parts } = this.#content as DocumentText;
      this.#content = joinPrivate(JSON.parse(visible) as JsonObject, parseParts(parts));
      this.#isParsed = true;
    }
    return this.#content as JsonObject;
  }

  toText(): DocumentText {
    if (!this.#isParsed) return this.#content as DocumentText;
    const { collection, name, type, revision, mayReachHost } = this;
    return {
      collection,
      name,
      type,
      revision,
      mayReachHost,
      visible: JSON.stringify(this.#content),
      parts: undefined,
    };
  }
}
