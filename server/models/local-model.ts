/** What is known of a model whose files are on this machine. */
import type { LanguageTag } from '../../shared/language.ts';

/** What a model is for. */
export type ModelKind = 'recognition' | 'synthesis' | 'punctuation' | 'translation';

export type VoiceGender = 'male' | 'female';

/** One of the voices in a model that speaks. */
export interface ModelVoice {
  /** Number of the speaker within the model. */
  speaker: number;
  gender?: VoiceGender;
  /** Language of the voice, where a model speaks several. */
  language?: LanguageTag;
}

/** What a model's author or its catalogue entry says about it: `dragoman-model.json`. */
export interface ModelDescription {
  kind: ModelKind;
  /** Architecture: a key of `modelFamilies`. */
  family: string;
  /** Base languages it hears, speaks or punctuates; source and target of one that translates. */
  languages: LanguageTag[];
  licence?: string;
  source?: string;
  /** Paths of its files below the folder by role; those left out are found by their names. */
  files?: Record<string, string>;
  /** SHA-256 of files when they were installed, by path below the folder: others are damaged. */
  sums?: Record<string, string>;
  /** Hears which of its languages is spoken. */
  detectsLanguage?: boolean;
  /** Its text has capitals and punctuation. */
  punctuates?: boolean;
  /** How words become tokens, for hotwords: `bpe`, `cjkchar` or `cjkchar+bpe`. */
  modelingUnit?: string;
  /** Name of the architecture within its family, where an engine wants to be told. */
  modelType?: string;
  voices?: ModelVoice[];
}

/** A model that is complete: every file it needs is there. */
export interface LocalModel extends ModelDescription {
  /** Name of its folder. */
  name: string;
  folder: string;
  /** Absolute paths by role. */
  files: Record<string, string>;
}
