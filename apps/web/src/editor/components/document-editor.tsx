import { SchemaEditor, type SchemaEditorProps } from './schema-editor.tsx';

export type DocumentEditorProps = Omit<SchemaEditorProps, 'dialect' | 'snippets' | 'ariaLabel'> & {
  readonly ariaLabel?: string;
};

/** The code view of a document that is one of Envoy's messages. */
export function DocumentEditor({ ariaLabel = 'Document', ...props }: DocumentEditorProps) {
  return <SchemaEditor {...props} ariaLabel={ariaLabel} dialect="proto" />;
}
