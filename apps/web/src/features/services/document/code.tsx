import { SegmentedControl } from '@mantine/core';
import { useMemo } from 'react';
import { stringify } from 'yaml';
import { useUrlState } from '../../../app/url-state.ts';
import { CodeEditor } from '../../../changes/index.ts';
import { Copy } from '../../../ui/index.ts';
import { texts } from './texts.tsx';

const words = texts.code;

export type CodeFormat = 'yaml' | 'json';

/** Returns the code format, which the URL stores (`?as=json`). */
export function useCodeFormat(): CodeFormat {
  return useUrlState().get('as') === 'json' ? 'json' : 'yaml';
}

export function toCode(value: unknown, format: CodeFormat): string {
  return format === 'json' ? `${JSON.stringify(value, null, 2)}\n` : stringify(value, { lineWidth: 0 });
}

export function FormatChoice() {
  const url = useUrlState();
  return (
    <SegmentedControl
      size="xs"
      aria-label={words.format}
      value={useCodeFormat()}
      onChange={(as) => url.set({ as: as === 'yaml' ? undefined : as })}
      data={[
        { value: 'yaml', label: words.yaml },
        { value: 'json', label: words.json },
      ]}
    />
  );
}

export function Code({ value, label }: { value: unknown; label: string }) {
  const format = useCodeFormat();
  const text = useMemo(() => toCode(value, format), [value, format]);
  return (
    <div style={{ position: 'relative' }}>
      <CodeEditor value={text} language={format} readOnly ariaLabel={label} maxHeight="70dvh" />
      <span style={{ position: 'absolute', top: 6, insetInlineEnd: 14 }}>
        <Copy text={text} what={label} />
      </span>
    </div>
  );
}
