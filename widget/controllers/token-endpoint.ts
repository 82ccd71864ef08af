/** How the element gets its sessions; see `shared/client/token-provider.ts` for what is asked and answered. */
export {
  tokenEndpoint,
  type ReconnectRequest,
  type SessionAnswer,
  type SessionRequest,
  type TokenProvider,
} from '../../shared/client/token-provider.ts';
