/** Access rules of the API, written down a second time by hand, to check the server against them. */
import type { Feature, Plan } from '../../../server/http/door.ts';

export interface AccessRule {
  /** Kind of key; `developer` by default. */
  kind?: 'admin';
  plan?: Plan;
  feature?: Feature;
}

const rules: [path: RegExp, rule: AccessRule | 'open'][] = [
  [/^\/(?:healthz|readyz|metrics)$/, 'open'],
  // Room keys have tests of their own.
  [/^\/v1\/rooms\/[^/]+\/live(?:\/|$)/, 'open'],
  [/^\/v1\/rooms(?:\/|$)/, { plan: 'pro' }],
  [/^\/v2\/admin\//, { kind: 'admin', feature: 'admin' }],
  [/^\/v2\/write\//, { plan: 'pro' }],
  [/^\/v3\/(?:style_rules|spoken_terms|voice)/, { plan: 'pro' }],
  [/^\/v3\/detect\//, { feature: 'detection' }],
  [/^\/v2\/(?:translate|document|languages|usage|glossar[a-z-]+)(?:\/|$)/, {}],
  [/^\/v3\/(?:languages|glossaries|translation_memories)(?:\/|$)/, {}],
];

/** Returns the rule of a path; undefined for a path without a rule. */
export function ruleOf(path: string): AccessRule | 'open' | undefined {
  return rules.find(([pattern]) => pattern.test(path))?.[1];
}

/** Routes that need no key. */
export const openRoutes = ['/healthz', '/readyz', '/openapi.json', '/asyncapi.json', '/docs'];

/** Console calls that are allowed before sign-in. */
export const beforeSignIn = [
  'POST /console/api/sign-in',
  'POST /console/api/sign-out',
  'POST /console/api/password',
];

/** Console calls reserved for the first account of the installation. */
export const operatorOnly = /^\/console\/api\/models(?:\/|$)/;
