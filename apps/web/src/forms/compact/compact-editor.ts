import type { ComponentType } from 'react';
import type { Json } from '../model/json.ts';

export interface CompactEditorProps {
  readonly value: Json | undefined;
  /** Path of the value. */
  readonly at: string;
}

/** A short editor of one field or message. It keeps everything that it does not show. */
export interface CompactEditor {
  /** Says in one sentence why the value cannot be shown; undefined: it can. No edit of the editor changes that. */
  readonly refuse: (value: Json | undefined) => string | undefined;
  readonly Editor: ComponentType<CompactEditorProps>;
}
