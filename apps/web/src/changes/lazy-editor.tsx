import { Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';

const loadEditor = () => import('../editor/index.ts');

/** Loads the code editor, a chunk of its own, when it is first shown. */
function lazily<P extends object>(load: () => Promise<ComponentType<P>>, height: number) {
  const Part = lazy(async () => ({ default: await load() }));
  // biome-ignore lint/correctness/noComponentHookFactories: called below only, once for each part
  return function LazyPart(props: P) {
    return (
      <Suspense fallback={<Skeleton height={height} aria-busy="true" />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

export const CodeEditor = lazily(async () => (await loadEditor()).CodeEditor, 320);
export const PolicyEditor = lazily(async () => (await loadEditor()).PolicyEditor, 420);
export const DiffView = lazily(async () => (await loadEditor()).DiffView, 240);
export const ThreeWayMerge = lazily(async () => (await loadEditor()).ThreeWayMerge, 320);
// Needs no code editor.
export const ChangeList = lazily(async () => (await import('../editor/components/change-list.tsx')).ChangeList, 80);
