import { describeZellijViewer } from './viewer-zellij.ts'

describeZellijViewer('headless')
