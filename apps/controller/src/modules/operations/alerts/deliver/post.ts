import { type OutboundRequest, sendRequest } from '../../../../platform/outbound/index.ts';

/** Posts a message. Reads only the status of the answer, so that a misdirected request reveals nothing about the host. Rejects unless the status is 2xx. */
export async function post(message: Omit<OutboundRequest, 'method' | 'ca'>): Promise<void> {
  const { status } = await sendRequest({ ...message, method: 'POST' }, { maxBytes: 0 });
  if (status >= 300 && status < 400) throw new Error(`the receiver redirects (${status}), which is not followed`);
  if (status < 200 || status >= 300) throw new Error(`the receiver answers ${status}`);
}
