import type { PolicyDetections } from '@flotilla/contract';
import { Button, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call, invalidate, routes } from '../../api/index.ts';
import { useCan, useProject } from '../../app/project.tsx';
import { ifMatchOf } from '../../changes/index.ts';
import { Confirm, sayDone } from '../../ui/index.ts';
import { texts } from './texts.tsx';

const text = texts.detections;

/** Changes the policy from detect to block, through the write of the policy. */
export function BlockButton({ detections }: { readonly detections: PolicyDetections }) {
  const project = useProject();
  const can = useCan();
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { policy, block_text: blockText, safe_to_block: isSafe } = detections;
  if (!can(routes.policy.patch) || blockText === null) return null;
  const block = async () => {
    await call(
      routes.policy.patch,
      { params: { name: policy.name }, query: { project: project.id }, body: { text: blockText } },
      { ifMatch: ifMatchOf({ etag: undefined, revision: policy.revision }) },
    );
    sayDone(text.blockDone(policy.name));
    await invalidate(client, routes.policyDraft.detections, routes.policy.get, routes.policy.list);
  };
  return (
    <>
      <Button size="compact-sm" mt="xs" onClick={() => setAsking(true)}>
        {text.block}
      </Button>
      <Confirm
        opened={isAsking}
        title={text.blockQuestion(policy.name)}
        action={text.block}
        isDangerous={!isSafe}
        onConfirm={block}
        onClose={() => setAsking(false)}
      >
        {text.blockText(policy.detect_parts ?? 0)}
        {!isSafe && <Text mt="xs">{text.blockAnyway}</Text>}
      </Confirm>
    </>
  );
}
