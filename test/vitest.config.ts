/**
 * Three projects. `test/run.mjs` runs the last in a vitest of its own beside the others: its tests wait
 * for the clock more than for the processor.
 *
 *  - pure: what leaves nothing behind, many files in a process, which has the modules; also what starts
 *    servers, engines and browsers of its own, and ends them
 *  - node: what changes or measures its process, which it has for itself
 *  - realtime: what streams at the pace of speech or counts seconds, few files at a time
 *
 * Browser tests drive the system's Chromium from Node, through the same page a person would use.
 */
import os from 'node:os';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { testModelsFolder } from '../server/setup/paths.mjs';
import { builtModules, builtProduct } from './support/suite/built-product.ts';
import { LongestFirst } from './support/suite/longest-first.ts';

const realtimeTests = 'test/**/*.realtime.test.ts';
/** What measures memory, its own or that of a child, which begins with that of its parent. */
const memoryTests = ['memory-files', 'xliff-limits', 'xlsx-large'];
const pureTests = [
  ...[
    ...['shared', 'text', 'style-rules/rules', 'glossaries/terms', 'memories/matching'],
    ...['documents/formats', 'voice/path', 'voice/audio/codecs', 'voice/audio/encode'],
  ].map((room) => `${room}/**/!(${memoryTests.join('|')})`),
  ...['engines/{whisperlive,silent,vosk,batch-recogniser,recognition-parts,socket-recognisers}'],
  ...['engines/{chat,chat-*,libretranslate,openai-*,deepl-*,service-client,remote-*}'],
  ...['engines/{espeak-ng,flite,pico,synthesis-conformance,translation-*,tagged-text}'],
  ...['engines/{apertium-routes,moonshine-agreement}', 'improvement/improvement'],
  ...['accounts/{access,account-contacts,api-key-file,deactivated-keys}', 'storage/database'],
  ...['process/{code-cache,concurrency,frame-batch}'],
  ...['translation/{translation,languages,engine-routes,detection}', 'operation/metrics'],
  ...['voice/session/{session-tokens,media-queue,outbox,live-translation}', 'client/lost-session'],
  ...['voice/session/{audio-entry,handover,live-overview,session-cluster,voice-sessions}'],
  ...['voice/session/{sleeping-reader,speech-charge}'],
  ...['http/{forms,form-body,upload-pace,received-file}', 'glossaries/glossaries'],
  ...['style-rules/{style-rules,text-style,style-rule-table}', 'spoken-terms/spoken-terms'],
  ...['models/{find-models,better-translation}', 'documents/jobs/document-{jobs,uploads,status}'],
  ...['setup/{product,debian-packages,npm-packages,dependencies,progress,node-version}'],
  ...['setup/{cluster,lock,start,summary-reporter,vitest-run}', 'events/caption-log-faults'],
  ...[
    'events/{room-keys,room-wording,spoken-lines,channel,live-room,live-rooms,renderings,speaker}',
    'events/reading/{fan-out,readers}',
    'events/nodes/{cut-off,floor,questions,reader-seats,shared-caption-log}',
  ],
  ...['widget/console-{usage,rules,rooms,glossary-entries}'],
  ...[
    'widget/{transcript-state,room-transcript,spoken-lines,resampler,event-speaking,event-words}',
  ],
].map((name) => `test/${name}.test.ts`);

/** Those that end the servers they start, which are processes or listen in this one, and leave nothing. */
const serverTests = [
  ...['accounts/{authorisation,secrecy,developer-keys,access-routes,accounts}'],
  ...['accounts/console/{routes,attacks,host-rule,console-access}'],
  ...['accounts/usage/{quotas,notice-routes,report-routes,routes,usage,usage-notice-mail}'],
  ...['memories/console-routes', '{models,improvement,operation,demo}/routes'],
  ...['translation/{upstream,chat-translation,neural-translation,second-engine}'],
  ...['http/every-route'],
  ...['cli/{translate,running-server,memory,dragoman,models,listen}', 'operation/readiness'],
  ...['client/voice-session', 'voice/session/{admission,fuzz}'],
  ...['broker/{broker,redis-checks,redis-faults,nodes}'],
].map((name) => `test/${name}.test.ts`);

/** Those that drive browsers: loading what drives them takes a second. */
const browserTests = [
  'accessibility,captions,console,console-{drafts,events,keyboard,language,models},demo,document-demo,embedding',
  'engines,event-captioner,reading,room-{overlay,viewer},wording',
].map((names) => `test/widget/{${names}}.test.ts`);

/** Those that start engines, and end them. */
const engineTests = [
  ...['engines/{apertium-{supervision,translations},detection,improvement,neural,sherpa}'],
  ...['engines/{moonshine,moonshine-{ear,supervision},harper-supervision,hunspell-supervision}'],
  ...['engines/{sherpa-voices,neural-damage,movable-instance,word-frequencies}'],
  ...['engines/older-processors', 'models/{installation,npm-models,translation-models}'],
  ...['voice/audio/{decode,decode-conformance,decode-gap,encode,listen,stream-encoder}'],
  ...['events/{kept,transcripts,reading/live}', 'client/package', 'http/requests'],
  ...['documents/jobs/document-{kills,translation,worker-process}', 'http/upgrades'],
  ...['architecture', 'config', 'improvement/rule-styles', 'storage/{crash,erasure,failures}'],
].map((name) => `test/${name}.test.ts`);

/** Those with `databasesOfThisFile()`. */
const storedTests = [
  ...['{spoken-terms,style-rules,glossaries,memories,accounts/console,documents/jobs}/store'],
  ...['memories/translation-memories', 'accounts/usage/usage-{reports-store,notices}'],
  ...['documents/jobs/document-claims-store', 'storage/storage', 'events/{store,caption-log}'],
].map((name) => `test/${name}.test.ts`);

/**
 * Half of them mostly wait. Each may have a server and a browser: more than a few take the memory of a
 * small machine. When all are run, `test/support/suite/vitest-run.mjs` says how many.
 */
const atOnce = Math.min(4, os.availableParallelism() + 2);

/** Those with `sharedServer()`. */
const servedTests = [
  ...['translation/{language-,detection-,}routes', 'translation/text-options'],
  ...['{spoken-terms,glossaries,style-rules,voice/session,events}/routes'],
  ...['style-rules/mechanical-style', 'http/{cross-origin,asyncapi,descriptions}'],
  ...[
    'memories/routes',
    'documents/jobs/routes',
    'client/room-feed',
    'events/reading/keys',
    'contract/*',
  ],
].map((name) => `test/${name}.test.ts`);

/** Tests run most code a few times: compiling it as if it were hot is a tenth of the processor. */
const laterCompilation = process.version.startsWith('v20.') ? ['--interrupt-budget=400000'] : [];

const sharingTests = [
  ...[...pureTests, ...serverTests, ...browserTests, ...engineTests],
  ...[...storedTests, ...servedTests],
];

export default defineConfig({
  root: path.resolve(import.meta.dirname, '..'),
  plugins: [builtProduct()],
  test: {
    globalSetup: ['built-product', 'run-servers'].map((name) => `./test/support/suite/${name}.ts`),
    server: { deps: { external: [builtModules] } },
    // They end what hangs: a real engine on a slow and busy machine takes its time.
    testTimeout: 360_000,
    hookTimeout: 360_000,
    // So does a page that is looked at.
    expect: { poll: { timeout: 90_000, interval: 100 } },
    pool: 'forks',
    // Other processes have the other cores: a tenth less of the processor without threads for garbage.
    // What is measured of memory is to be the same of every Node: newer ones have four times the young objects.
    execArgv: ['--single-threaded-gc', '--max-semi-space-size=16', ...laterCompilation],
    sequence: { sequencer: LongestFirst },
    env: {
      // Installed by test/run.mjs, once for all.
      MODELS_DIR: testModelsFolder,
      // sox makes speech for tests, and is not to warn of a sample at its loudest.
      SOX_OPTS: '-V1',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'pure',
          include: sharingTests,
          exclude: [realtimeTests],
          isolate: false,
          maxWorkers: atOnce,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'node',
          include: ['test/**/*.test.ts'],
          exclude: [realtimeTests, ...sharingTests],
          maxWorkers: atOnce,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'realtime',
          include: [realtimeTests],
          isolate: false,
          maxWorkers: 4,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
