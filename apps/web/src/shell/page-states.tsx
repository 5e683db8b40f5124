import { Button, Skeleton, Stack } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { texts } from '../texts/index.ts';
import { Empty, Page, Problem } from '../ui/index.ts';

const text = texts.shell.pageStates;

export function PageWaiting() {
  return (
    <Stack p="lg" gap="md" aria-busy="true">
      <Skeleton height={26} width={220} />
      <Skeleton height={200} />
    </Stack>
  );
}

/** A page that threw: mostly a newer build whose parts have other names. The rest of the screen goes on. */
export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  return (
    <Page title={text.pageFailed.title}>
      <Problem
        error={error}
        what={text.pageFailed.what}
        still={text.pageFailed.still}
        onRetry={() => {
          reset();
          void router.invalidate();
        }}
      />
      <div>
        <Button variant="default" onClick={() => window.location.reload()}>
          {text.pageFailed.button}
        </Button>
      </div>
    </Page>
  );
}

export function PageMissing() {
  return (
    <Page title={text.pageMissing.title}>
      <Empty title={text.pageMissing.nothingHere} action={<Link to="/">{text.pageMissing.link}</Link>}>
        {text.pageMissing.empty}
      </Empty>
    </Page>
  );
}
