/** Who may call what, written down a second time, by hand: the server is held against it. */
import type { Feature, Plan } from '../../../server/http/door.ts';

export interface AccessRule {
  /** `developer` unless said otherwise. */
  kind?: 'admin';
  plan?: Plan;
  feature?: Feature;
}

const rules: [path: RegExp, rule: AccessRule | 'open'][] = [
  [/^\/(?:healthz|readyz|metrics)$/, 'open'],
  // The keys of rooms have tests of their own.
  [/^\/v1\/rooms\/[^/]+\/live(?:\/|$)/, 'open'],
  [/^\/v1\/rooms(?:\/|$)/, { plan: 'pro' }],
  [/^\/v2\/admin\//, { kind: 'admin', feature: 'admin' }],
  [/^\/v2\/write\//, { plan: 'pro' }],
  [/^\/v3\/(?:style_rules|spoken_terms|voice)/, { plan: 'pro' }],
  [/^\/v3\/detect\//, { feature: 'detection' }],
  [/^\/v2\/(?:translate|document|languages|usage|glossar[a-z-]+)(?:\/|$)/, {}],
  [/^\/v3\/(?:languages|glossaries|translation_memories)(?:\/|$)/, {}],
];

/** The rule of a path; undefined for one that nobody has thought of. */
export function ruleOf(path: string): AccessRule | 'open' | undefined {
  return rules.find(([pattern]) => pattern.test(path))?.[1];
}

/** What anybody may read. */
export const openRoutes = ['/healthz', '/readyz', '/openapi.json', '/asyncapi.json', '/docs'];

/** What the console's page may ask for before anybody has signed in. */
export const beforeSignIn = [
  'POST /console/api/sign-in',
  'POST /console/api/sign-out',
  'POST /console/api/password',
];

/** What the console lets nobody do but the first account of the installation. */
export const operatorOnly = /^\/console\/api\/models(?:\/|$)/;
