import { Button, Group, Text } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type DiffHandle, showDiff } from '../codemirror/diff.ts';
import type { Language } from '../document/tree.ts';
import { countLines } from '../merge/line-diff.ts';
import { texts } from './texts.tsx';

const text = texts.diffView;

export interface DiffViewProps {
  readonly before: string;
  readonly after: string;
  readonly language: Language;
  /** Labels of the two sides, for example "Revision 3" and "Now". */
  readonly beforeLabel?: string | undefined;
  readonly afterLabel?: string | undefined;
}

const SIDE_BY_SIDE_FROM_PX = 760;

/**
 * Shows two texts and their differences: side by side if there is room, or else one below the other. Alt and the arrow keys move between
 * changes.
 */
export function DiffView({
  before,
  after,
  language,
  beforeLabel = text.before,
  afterLabel = text.after,
}: DiffViewProps) {
  const { ref, width } = useElementSize();
  const host = useRef<HTMLDivElement>(null);
  const handle = useRef<DiffHandle>(null);
  const [collapse, setCollapse] = useState(true);
  // A new text has nothing beside it.
  const layout = width >= SIDE_BY_SIDE_FROM_PX && before !== '' ? 'side-by-side' : 'unified';
  const isMeasured = width > 0;
  const { added, removed } = useMemo(() => countLines(before, after), [before, after]);
  const isSame = added + removed === 0;

  useLayoutEffect(() => {
    if (!host.current || !isMeasured || isSame) return undefined;
    const shown = showDiff({ parent: host.current, before, after, language, layout, collapse });
    handle.current = shown;
    return () => {
      handle.current = null;
      shown.destroy();
    };
  }, [before, after, language, layout, collapse, isMeasured, isSame]);

  if (isSame) {
    return (
      <Text size="sm" c="dimmed">
        {text.same(beforeLabel, afterLabel.toLowerCase())}
      </Text>
    );
  }
  return (
    <section aria-label={text.title(beforeLabel, afterLabel)} ref={ref}>
      <Group justify="space-between" gap="xs" mb={6}>
        <Text size="xs" component="div">
          {text.counts(<span>{beforeLabel}</span>, <span>{afterLabel}</span>, added, removed)}
        </Text>
        <DiffButtons
          isCollapsed={collapse}
          onCollapse={setCollapse}
          onPrevious={() => handle.current?.previous()}
          onNext={() => handle.current?.next()}
        />
      </Group>
      <div ref={host} />
    </section>
  );
}

interface DiffButtonsProps {
  /** True: lines without a change are hidden. */
  readonly isCollapsed: boolean;
  readonly onCollapse: (isCollapsed: boolean) => void;
  readonly onPrevious: () => void;
  readonly onNext: () => void;
}

function DiffButtons({ isCollapsed, onCollapse, onPrevious, onNext }: DiffButtonsProps) {
  return (
    <Group gap={4}>
      <Button size="compact-xs" variant="subtle" onClick={() => onCollapse(!isCollapsed)} aria-pressed={!isCollapsed}>
        {isCollapsed ? text.showAll : text.changesOnly}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={onPrevious} title={text.previousKey}>
        {text.previous}
      </Button>
      <Button size="compact-xs" variant="subtle" onClick={onNext} title={text.nextKey}>
        {text.next}
      </Button>
    </Group>
  );
}
