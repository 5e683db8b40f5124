import { Skeleton } from '@mantine/core';
import { type ComponentType, lazy, Suspense } from 'react';

const load = () => import('../editor/index.ts');

/** The code editor and what belongs to it is a file of its own, fetched when first shown. */
function lazily<P extends object>(
  pick: (editor: Awaited<ReturnType<typeof load>>) => ComponentType<P>,
  height: number,
) {
  const Part = lazy(async () => ({ default: pick(await load()) }));
  // biome-ignore lint/correctness/noComponentHookFactories: called below only, once for each part
  return function LazyPart(props: P) {
    return (
      <Suspense fallback={<Skeleton height={height} aria-busy="true" />}>
        <Part {...props} />
      </Suspense>
    );
  };
}

export const CodeEditor = lazily((editor) => editor.CodeEditor, 320);
export const PolicyEditor = lazily((editor) => editor.PolicyEditor, 420);
export const DiffView = lazily((editor) => editor.DiffView, 240);
export const ChangeList = lazily((editor) => editor.ChangeList, 80);
export const ThreeWayMerge = lazily((editor) => editor.ThreeWayMerge, 320);
