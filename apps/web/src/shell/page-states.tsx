import { Button, Skeleton, Stack } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { Empty, Page, Problem } from '../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.pageStates;

export function PageWaiting() {
  return (
    <Stack p="lg" gap="md" aria-busy="true">
      <Skeleton height={26} width={220} />
      <Skeleton height={200} />
    </Stack>
  );
}

/** Shown when a page throws, mostly because a newer build renamed its chunks. The rest of the screen keeps working. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title={text.failed.title}>
      <Problem
        error={error}
        what={text.failed.what}
        still={text.failed.otherPagesWork}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
      <div>
        <Button variant="default" onClick={() => window.location.reload()}>
          {text.failed.reload}
        </Button>
      </div>
    </Page>
  );
}

export function PageMissing() {
  return (
    <Page title={text.missing.title}>
      <Empty title={text.missing.nothingHere} action={<Link to="/">{text.missing.toStart}</Link>}>
        {text.missing.whyMissing}
      </Empty>
    </Page>
  );
}
