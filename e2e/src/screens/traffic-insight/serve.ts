import { capabilityRoutes, type RouteContract } from '@flotilla/contract';
import type { Page, Route } from 'playwright-core';

export interface Asked {
  readonly query: URLSearchParams;
  /** The last parameter of the path. */
  readonly param: string | undefined;
}

/** An answer, or a refusal of the controller. */
export type Answer =
  | object
  | { readonly refused: { readonly status: number; readonly code: string; readonly message: string } };

export type Answers = readonly (readonly [route: RouteContract, answer: Answer | ((asked: Asked) => Answer)])[];

/** What the page asked for, newest last: `GET /api/v3/inventory?method=GET`. */
export type Requests = string[];

/**
 * Answers these routes in the place of the controller. Each answer has to fit its contract, so that this cannot show a page what no controller
 * says. The user may call all of them.
 */
export async function serve(page: Page, answers: Answers): Promise<Requests> {
  const requests: Requests = [];
  await page.route(new RegExp(`${capabilityRoutes.get.path}(\\?|$)`), async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { routes: string[] };
    await route.fulfill({ response, json: { ...body, routes: [...body.routes, ...answers.map(([{ id }]) => id)] } });
  });
  // Playwright asks the newest handler first, and the most specific paths are last.
  for (const [contract, answer] of answers) {
    const pattern = new RegExp(`${contract.path.replaceAll(/:\w+/g, '([^/?]+)')}(\\?.*)?$`);
    await page.route(pattern, async (route) => {
      if (route.request().method() !== contract.method) return route.fallback();
      const url = new URL(route.request().url());
      requests.push(`${contract.method} ${url.pathname}${url.search}`);
      const asked = { query: url.searchParams, param: pattern.exec(url.href)?.[1] };
      return fulfill(
        route,
        contract,
        typeof answer === 'function' ? (answer as (asked: Asked) => Answer)(asked) : answer,
      );
    });
  }
  return requests;
}

async function fulfill(route: Route, contract: RouteContract, answer: Answer): Promise<void> {
  if ('refused' in answer && typeof answer.refused === 'object') {
    const { status, ...body } = answer.refused;
    return route.fulfill({ status, json: { ...body, request_id: 'req-for-this-test' } });
  }
  if (contract.status === 204) return route.fulfill({ status: 204 });
  if (contract.media === 'text/event-stream') {
    return route.fulfill({ status: 200, contentType: 'text/event-stream', body: (answer as { text: string }).text });
  }
  return route.fulfill({ status: contract.status, json: contract.response?.parse(answer) });
}
