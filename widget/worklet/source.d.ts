/** The bundled worklet as text, for pages that load the script from another origin. */
declare module '*?bundled-source' {
  const source: string;
  export default source;
}
